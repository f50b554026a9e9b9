"""``calibrate audit``: what the hashes that are stored are worth."""

import contextlib
import datetime as dt
import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from hashcost.checks.audit import STALE, Audit, accepted, timeable, unjudged, weak
from hashcost.checks.audit import audit as audited
from hashcost.checks.waivers import Waivers
from hashcost.cli.completion import complete_files
from hashcost.cli.inputs import costs_timed, settings_for, shown, standard_input
from hashcost.cli.options import (
    app_option,
    profile_option,
    result_options,
    target_option,
    worth_options,
)
from hashcost.cli.output import Output
from hashcost.cli.progress import progress_bar
from hashcost.cli.waivers import listed_waivers
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import InconclusiveError, ResultError, UnreadableInputError
from hashcost.core.machine import TOOL
from hashcost.core.progress import within
from hashcost.core.units import DEFAULT_TARGET_SECONDS
from hashcost.machine.host import this_host
from hashcost.render.commands.audit import audit_document
from hashcost.render.wording import counted as number
from hashcost.storage.files import open_at_once, reason_of
from hashcost.stored.database import hashes_from
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.registry import read
from hashcost.stored.layouts import Layout, hashes_in
from hashcost.stored.lines import lines_of
from hashcost.strength.attackers.device import Device
from hashcost.strength.policies.policy import Policy

_HASHES = frozenset({Kind.HASHED, Kind.FAST, Kind.LOCKED, Kind.UNRECOGNISED})


@click.command
@click.argument("source", required=False, metavar="[FILE|-]", shell_complete=complete_files)
@click.option(
    "--layout",
    type=click.Choice([layout.value for layout in Layout]),
    help="Layout of the file.  [default: detected from its first lines]",
)
@click.option(
    "--column",
    metavar="NAME|NUMBER",
    help="CSV column, or member of JSON lines, that has the hashes.",
)
@click.option(
    "--database",
    metavar="URL",
    help="Read from a database; set HASHCOST_DATABASE instead to keep the URL private.",
)
@click.option("--query", metavar="SQL", help="SQL query whose first column has the hashes.")
@app_option("Application that wrote the hashes, if their format is ambiguous.")
@target_option("Also count hashes that take less than this, timed here or taken from --profile.")
@profile_option("Take the times from a profile, and its target unless --target is given.")
@worth_options
@click.option(
    "--fail-on-weak",
    is_flag=True,
    help="End with 1 if a hash is weak, with 3 if one cannot be judged.",
)
@click.option("--no-accept", is_flag=True, help="Ignore every waiver of hashcost.toml.")
@result_options("table", "json", "csv", "markdown", "html", quiet="No progress.")
def audit(
    source: str | None,
    layout: str | None,
    column: str | None,
    database: str | None,
    query: str | None,
    app: str | None,
    target: float | None,
    profile: Path | None,
    policies: tuple[Policy, ...],
    devices: tuple[Device, ...],
    fail_on_weak: bool,
    no_accept: bool,
    out: Output,
) -> None:
    """Count stored hashes by hasher and cost, and how many are below the minimum.

    Reads a file of hashes, htpasswd or shadow lines, a column, LDIF, or a database. It
    shows only counts and shapes, and keeps nothing. Example:
    calibrate audit users.txt
    """
    out.check(Path(source or "-"), profile)
    if out.form == "html":
        from hashcost.render.formats.html_format import check_available

        check_available()
    reader = partial(read, app=app)
    reader("")  # An unknown application is refused before anything is read.
    if source is None:
        database = database or os.environ.get("HASHCOST_DATABASE")
    if database is not None:
        if source is not None or layout is not None or column is not None:
            raise click.UsageError(
                "--database replaces FILE, --layout and --column; leave them out"
            )
        if query is None:
            raise click.UsageError(
                "--database needs a --query, such as 'SELECT password FROM users'"
            )
        readings, layout = Counter(map(reader, hashes_from(database, query))), "database"
    else:
        if query is not None:
            raise click.UsageError("--query needs --database URL")
        readings, layout = _from_file(source, layout, column, reader, quiet=out.quiet)
    if not readings:
        raise UnreadableInputError("no hashes found; name another file or column")
    measured = None
    if target is not None or profile is not None:
        seconds = target or DEFAULT_TARGET_SECONDS
        measured = costs_timed(timeable(readings), seconds, profile, quiet=out.quiet)
    if measured is not None:
        target = target or measured.target_seconds
    counted = audited(
        readings,
        tool=TOOL,
        layout=layout,
        policies=policies,
        devices=devices,
        profile=measured,
        target_seconds=target,
    )
    if fail_on_weak and not no_accept:
        counted = _with_waivers(counted, None if source in {None, "-"} else Path(source or ""))
    document = audit_document(counted, devices)
    out.warn(counted.warnings)
    out.write(document)
    if fail_on_weak:
        out.end(_code(counted), f"--fail-on-weak: {' '.join(document.answer)}")


def _with_waivers(counted: Audit, source: Path | None) -> Audit:
    """Accept what the settings accept in a file, or where the hashes come from no file."""
    settings = settings_for(None)
    path = None if source is None else shown(source)
    waivers = Waivers(
        files=frozenset() if path is None else frozenset({path}), listed=listed_waivers(settings)
    )
    today = this_host().date().astimezone(dt.UTC).date()
    return accepted(counted, waivers, None if path is None else Place(path=path), today)


def _code(counted: Audit) -> int:
    """The exit code if a hash must not be weak."""
    if weak(counted) or any(notice.code == STALE for notice in counted.warnings):
        return ResultError.exit_code
    return InconclusiveError.exit_code if unjudged(counted) else 0


def _from_file(
    source: str | None,
    layout: str | None,
    column: str | None,
    read: Callable[[bytes | str], Reading],
    *,
    quiet: bool,
) -> tuple[Counter[Reading], str]:
    """Count the hashes of a file or of standard input, and tell how they were laid out."""
    if source is None:
        raise click.UsageError("name a file of hashes, `-` for standard input, or --database URL")
    try:
        with contextlib.ExitStack() as stack:
            if source == "-":
                stream, size = standard_input(), 0
            else:
                stream = stack.enter_context(open_at_once(Path(source)))
                size = os.fstat(stream.fileno()).st_size
            bar = stack.enter_context(progress_bar(quiet=quiet or not size))
            advance = within(bar, "reading hashes")
            lines = lines_of(stream, lambda done: advance(min(done / max(size, 1), 1.0)))
            detected, hashes = hashes_in(
                lines, layout=Layout(layout) if layout else None, column=column, read=read
            )
            readings = Counter(map(read, hashes))
    except OSError as error:
        origin = "standard input" if source == "-" else "the file"
        raise UnreadableInputError(
            f"cannot read {origin}: {reason_of(error)}; name a file of hashes, or put a hash on"
            " standard input, where no other user sees it"
        ) from error
    if readings and not layout and not any(reading.kind in _HASHES for reading in readings):
        read_lines = number(readings.total(), "line", "lines")
        raise UnreadableInputError(
            f"no hash is recognised in {read_lines}; name a file of stored hashes, or its"
            " --layout if it is one"
        )
    return readings, detected.value
