"""``calibrate audit``: what the hashes that are stored are worth."""

import contextlib
import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from hashcost.cli.completion import complete_apps, complete_files
from hashcost.cli.host import environment
from hashcost.cli.inputs import costs_timed, standard_input
from hashcost.cli.options import (
    history_option,
    profile_option,
    result_options,
    target_option,
    worth_options,
)
from hashcost.cli.output import Output
from hashcost.cli.plot import plot_option, told_apart
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import InconclusiveError, UnreadableInputError
from hashcost.core.foreign import path_name
from hashcost.core.progress import within
from hashcost.core.quoting import may_be_secret
from hashcost.core.targets import DEFAULT_TARGET_SECONDS
from hashcost.core.tool import TOOL
from hashcost.documents.files import reason_of
from hashcost.render.commands.audit import LOGS_IN, audit_document
from hashcost.stored.database import hashes_from
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.registry import read
from hashcost.stored.layouts import Layout, hashes_in
from hashcost.stored.lines import lines_of
from hashcost.verdicts.audit import Audit, count, timeable
from hashcost.verdicts.audit import audit as audited
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy

_FAILED = 1


@click.command
@click.argument("source", required=False, metavar="[FILE|-]", shell_complete=complete_files)
@click.option(
    "--layout",
    type=click.Choice([each.value for each in Layout]),
    help="How the file holds its hashes.  [default: told from its first lines]",
)
@click.option("--column", metavar="NAME|NUMBER", help="Column of a CSV, or member of JSON lines.")
@click.option(
    "--database",
    metavar="URL",
    help="Ask a database instead; better given as HASHCOST_DATABASE, which no one else sees.",
)
@click.option("--query", metavar="SQL", help="What gives the hashes, as its first column.")
@click.option(
    "--app",
    metavar="APP",
    shell_complete=complete_apps,
    help="What wrote the hashes, where their form is ambiguous.",
)
@target_option("Also count hashes cheaper than this time; they are timed here, or by --profile.")
@profile_option("Take the times from a profile, and its target unless another is named.")
@worth_options
@plot_option
@click.option(
    "--fail-on-weak",
    is_flag=True,
    help="End with 1 when a hash is below the floor, with 3 when one cannot be read.",
)
@history_option
@result_options("table", "json", "csv", "markdown", quiet="No progress.")
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
    gpu_hourly: float | None,
    plot: str | None,
    fail_on_weak: bool,
    out: Output,
) -> int:
    """Count stored hashes by hasher and cost, and those that are below the floor.

    Reads a file of hashes, htpasswd or shadow lines, a column, LDIF, or a database. Only
    counts and shapes of what it reads are shown, and nothing is kept. Example:
    calibrate audit users.htpasswd
    """
    sources, picture = told_apart(() if source is None else (source,), plot, out, files=True)
    if len(sources) > 1:
        raise click.UsageError(
            "--plot draws .svg, .png and .pdf, or in the terminal when it stands last; name one"
            " file of hashes"
        )
    source = next(iter(sources), None)
    out.check(Path(source or "-"), profile, plot=picture and picture.file)
    reader = partial(read, app=app)
    reader("")  # An unknown application is refused before anything is read.
    if source is None:
        database = database or environment().get("HASHCOST_DATABASE")
    if database is not None:
        if source is not None or layout is not None or column is not None:
            raise click.UsageError("--database leaves no use for a file, --layout or --column")
        if query is None:
            raise click.UsageError(
                "--database needs a --query, such as 'SELECT password FROM users'"
            )
        found, layout = count(hashes_from(database, query), reader), "database"
    elif source is None:
        raise click.UsageError("name a file of hashes, - for standard input, or a --database")
    else:
        if query is not None:
            raise click.UsageError("--query needs a --database")
        found, layout = _from_file(source, layout, column, reader, quiet=out.quiet)
    if not found:
        raise UnreadableInputError("there is no hash to count")
    measured = None
    if target is not None or profile is not None:
        seconds = DEFAULT_TARGET_SECONDS if target is None else target
        measured = costs_timed(timeable(found), seconds, profile, quiet=out.quiet)
    if measured is not None and target is None:
        target = measured.target_seconds
    counted = audited(
        found,
        tool=TOOL,
        layout=layout,
        policies=policies,
        devices=devices,
        dollars_per_hour=gpu_hourly,
        profile=measured,
        target_seconds=target,
    )
    out.write(audit_document(counted, devices))
    if picture is not None:
        from hashcost.render.plot.audit import audit_figure

        picture.write(audit_figure(counted))
    return _exit_code(counted) if fail_on_weak else 0


def _exit_code(counted: Audit) -> int:
    """The code if no hash is to be weak: what cannot be read may be."""
    if counted.below_floor or counted.below_target:
        return _FAILED
    unread = (Kind.MALFORMED, Kind.UNRECOGNISED)
    return InconclusiveError.exit_code if any(counted.kinds[one.value] for one in unread) else 0


def _from_file(
    source: str,
    layout: str | None,
    column: str | None,
    read: Callable[[bytes | str], Reading],
    *,
    quiet: bool,
) -> tuple[Counter[Reading], str]:
    """Count the hashes of a file or of standard input, and tell how they were laid out."""
    try:
        with contextlib.ExitStack() as stack:
            if source == "-":
                stream, size = standard_input(), 0
            else:
                stream = stack.enter_context(Path(source).open("rb"))
                size = os.fstat(stream.fileno()).st_size
            bar = stack.enter_context(progress_bar(quiet=quiet or not size))
            advance = within(bar, "reading hashes")
            lines = lines_of(stream, lambda done: advance(min(done / max(size, 1), 1.0)))
            found, hashes = hashes_in(
                lines, layout=Layout(layout) if layout else None, column=column, read=read
            )
            return count(hashes, read), found.value
    except OSError as error:
        # With or without a user's name before it.
        texts = (source, source.partition(":")[2])
        looks_so = may_be_secret(source) and "://" not in source
        if looks_so or any(read(text).kind in LOGS_IN for text in texts):
            raise click.UsageError(
                "that is no file but a hash, which belongs in a file or on standard input,"
                " where no other user sees it"
            ) from None
        shown = "standard input" if source == "-" else path_name(source)
        raise UnreadableInputError(f"cannot read {shown}: {reason_of(error)}") from error
