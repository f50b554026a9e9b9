"""``calibrate audit``: what the hashes that are stored are worth."""

import contextlib
import datetime as dt
import os
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click
from msgspec.structs import replace

from hashcost.checks.audit import (
    STALE,
    Audit,
    accepted,
    earlier_audit,
    timeable,
    unjudged,
    weak,
    with_last_logins,
    with_login_rate,
)
from hashcost.checks.audit import audit as audited
from hashcost.checks.waivers import Waivers
from hashcost.cli.completion import complete_files
from hashcost.cli.inputs import costs_timed, settings_for, shown, standard_input
from hashcost.cli.options import (
    FILE,
    RATE,
    Criteria,
    GroupedCommand,
    app_option,
    criteria_options,
    profile_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output
from hashcost.cli.progress import progress_bar
from hashcost.cli.waivers import listed_waivers
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import InconclusiveError, ResultError, UnreadableInputError
from hashcost.core.machine import TOOL, has_notice
from hashcost.core.progress import within
from hashcost.core.text import path_name
from hashcost.core.units import DEFAULT_TARGET_SECONDS
from hashcost.machine.host import this_host
from hashcost.render.commands.audit import audit_document
from hashcost.render.wording import counted as number
from hashcost.storage.files import open_at_once, read_limited, reason_of
from hashcost.stored.columns import Stored
from hashcost.stored.database import rows_from
from hashcost.stored.formats.reading import HASHES, NOT_TEXT, HashReading, Kind
from hashcost.stored.formats.registry import read
from hashcost.stored.last_logins import hours_since
from hashcost.stored.layouts import Layout, rows_in
from hashcost.stored.lines import lines_of
from hashcost.strength.policies.catalogue import load_policy, policy_names

_Dated: TypeAlias = Counter[tuple[HashReading, int | None]]
"""Hashes, each with the hours since the last login of its user, if that is known."""


@dataclass(frozen=True, kw_only=True)
class StoredOptions:
    """Where the hashes are."""

    source: str | None
    layout: str | None
    column: str | None
    last_login: str | None
    database: str | None
    query: str | None
    app: str | None


@click.command(cls=GroupedCommand)
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
    "--last-login",
    metavar="NAME|NUMBER",
    help="Column of last logins, for a forecast: how many stay below the minimum.",
)
@click.option(
    "--logins",
    type=RATE,
    help="Without that column: logins of all users together, such as 200/day.",
)
@click.option(
    "--database",
    metavar="URL",
    help="Read from a database; set HASHCOST_DATABASE instead to keep the URL private.",
)
@click.option("--query", metavar="SQL", help="SQL query whose first column has the hashes.")
@click.option(
    "--since", type=FILE, metavar="FILE", help="Compare with an earlier audit, saved as JSON."
)
@app_option("Application that wrote the hashes, if their format is ambiguous.")
@target_option("Also count hashes that take less than this, timed here or taken from --profile.")
@profile_option("Take the times from a profile, and its target unless --target is given.")
@criteria_options
@click.option(
    "--fail-on-weak",
    is_flag=True,
    help="End with 1 if a hash is weak, with 3 if one cannot be judged.",
)
@click.option("--no-accept", is_flag=True, help="Ignore every waiver of hashcost.toml.")
@result_options("table", "json", "csv", "markdown", "html", quiet="No progress.")
def audit(
    stored: StoredOptions,
    logins: float | None,
    since: Path | None,
    target: float | None,
    profile: Path | None,
    criteria: Criteria,
    fail_on_weak: bool,
    no_accept: bool,
    out: Output,
) -> None:
    """Count stored hashes by hasher and cost, and how many are below the minimum.

    Reads a file of hashes, htpasswd or shadow lines, a column, LDIF, or a database. It
    shows only counts and shapes, and keeps nothing. Example:
    calibrate audit users.txt
    """
    out.check([Path(stored.source or "-"), profile, since])
    earlier = None
    if since is not None:
        earlier = earlier_audit(read_limited(since), path_name(since), criteria.policies)
    if out.form == "html":
        # The page needs an extra, and hashes may take minutes to count.
        from hashcost.render.formats.html_format import check_available

        check_available()
    read("", stored.app)  # An application that tells nothing is refused before anything is read.
    if stored.last_login is not None and logins is not None:
        raise click.UsageError("--last-login tells more than --logins; leave --logins out")
    dated, layout = _read(stored, out)
    if not dated and layout == Layout.SQL.value:
        raise UnreadableInputError(
            "no hash names its format, and none is recognised in a column that is called a"
            " password; query the database (--database, --query), or write only the hashes, one a"
            " line"
        )
    if not dated:
        raise UnreadableInputError("no hashes found; name another file or column")
    readings: Counter[HashReading] = Counter()
    for (reading, _), count in dated.items():
        readings[reading] += count
    times = None
    if target is not None or profile is not None:
        seconds = target or DEFAULT_TARGET_SECONDS
        times = costs_timed(timeable(readings), seconds, profile, out)
    if times is not None:
        target = target or times.target_seconds
    counted = audited(
        readings,
        tool=TOOL,
        layout=layout,
        policies=criteria.policies,
        devices=criteria.devices,
        profile=times,
        target_seconds=target,
    )
    if stored.last_login is not None:
        counted = with_last_logins(counted, dated, criteria.policies)
    elif logins is not None:
        counted = with_login_rate(counted, logins)
    counted = replace(counted, since=earlier)
    if fail_on_weak and not no_accept:
        counted = _with_waivers(counted, stored.source)
    others = tuple(map(load_policy, policy_names()))
    document = audit_document(counted, criteria.devices, others)
    out.warn(counted.warnings)
    out.write(document)
    if fail_on_weak:
        out.end(_code(counted), f"--fail-on-weak: {' '.join(document.answer)}")


def _with_waivers(counted: Audit, source: str | None) -> Audit:
    """Accept what the settings accept in a file, or where the hashes come from no file."""
    # Without a file, only waivers without a place can hold.
    files: frozenset[str] = frozenset()
    place = None
    if source is not None and source != "-":
        place = Place(path=shown(Path(source)))
        files = frozenset({place.path})
    waivers = Waivers(files=files, listed=listed_waivers(settings_for(None)))
    return accepted(counted, waivers, place, this_host().date().date())


def _code(counted: Audit) -> int:
    """The exit code if a hash must not be weak."""
    if weak(counted) or has_notice(counted.warnings, STALE):
        return ResultError.exit_code
    if unjudged(counted):
        return InconclusiveError.exit_code
    return 0


def _read(stored: StoredOptions, out: Output) -> tuple[_Dated, str]:
    """Count the hashes of a database or a file, and tell how they were laid out."""
    database = stored.database
    # A file that is named comes before the environment.
    if stored.source is None:
        database = database or os.environ.get("HASHCOST_DATABASE")
    if database is None:
        if stored.query is not None:
            raise click.UsageError("--query needs --database URL")
        return _from_file(stored, out)
    if any(value is not None for value in (stored.source, stored.layout, stored.column)):
        raise click.UsageError("--database replaces FILE, --layout and --column; leave them out")
    if stored.query is None:
        raise click.UsageError("--database needs a --query, such as 'SELECT password FROM users'")
    rows = rows_from(database, stored.query, stored.last_login)
    return _counted(rows, stored), "database"


def _counted(rows: Iterable[Stored], stored: StoredOptions) -> _Dated:
    """Count the hashes, each with the hours since the last login of its user if that is asked."""
    now = this_host().date().astimezone(dt.UTC)
    dated: _Dated = Counter()
    for row, (text, *last_logins) in enumerate(rows, start=1):
        hours = None
        for last_login in last_logins:
            hours = hours_since(str(last_login), now, row)
        dated[read(text, stored.app), hours] += 1
    return dated


def _from_file(stored: StoredOptions, out: Output) -> tuple[_Dated, str]:
    """Count the hashes of a file or of standard input, and tell how they were laid out."""
    source = stored.source
    reader = partial(read, app=stored.app)
    columns = [name for name in (stored.column, stored.last_login) if name is not None]
    if columns and stored.column is None:
        raise click.UsageError("--last-login also needs --column, that of the hashes; add it")
    if source is None:
        raise click.UsageError("name a file of hashes, `-` for standard input, or --database URL")
    layout = None
    if stored.layout is not None:
        layout = Layout(stored.layout)
    try:
        with contextlib.ExitStack() as stack:
            if source == "-":
                stream, size = standard_input(), 0
            else:
                stream = stack.enter_context(open_at_once(Path(source)))
                size = os.fstat(stream.fileno()).st_size
            # Of what has no size, no share can be told.
            bar = stack.enter_context(progress_bar(quiet=out.quiet or not size))
            advance = within(bar, "reading hashes")
            lines = lines_of(stream, lambda done: advance(min(done / max(size, 1), 1.0)))
            detected, rows = rows_in(lines, layout=layout, columns=columns, read=reader)
            dated = _counted(rows, stored)
    except OSError as error:
        origin = "the file"
        if source == "-":
            origin = "standard input"
        raise UnreadableInputError(
            f"cannot read {origin}: {reason_of(error)}; name a file of hashes, or put a hash on"
            " standard input, where no other user sees it"
        ) from error
    # A layout that was named needs no hash to be believed.
    if dated and layout is None and not _are_believed([reading for reading, _ in dated]):
        read_lines = number(dated.total(), "line", "lines")
        raise UnreadableInputError(
            f"no hash is recognised in {read_lines}; if there are some, write only them, one a"
            " line (--layout hash), and `calibrate explain` says what it sees in one"
        )
    return dated, detected.value


def _are_believed(readings: Collection[HashReading]) -> bool:
    """Tell whether the texts of a file are those that users log in with.

    Beside a hash, any other text is a password. Without one, it may be a number or an ID, also
    where a shape looks like a hash in an unknown format.
    """
    if any(_is_hash_like(reading) for reading in readings):
        return True
    kinds = {reading.kind for reading in readings}
    # A mark that locks an account begins lines of text, too.
    if Kind.LOCKED in kinds and kinds <= {Kind.LOCKED, Kind.EMPTY}:
        return True
    return Kind.UNRECOGNISED in kinds and Kind.PLAIN not in kinds


def _is_hash_like(reading: HashReading) -> bool:
    """Tell whether a text is a hash, or begins like one."""
    if reading.kind is Kind.UNREADABLE:
        return reading.format not in NOT_TEXT
    if reading.kind is Kind.LOCKED:
        return reading.hasher is not None
    return reading.kind in HASHES
