"""``calibrate explain``: what one hash or one cost is, takes and is worth."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hashcost.cli.options import on_terminal, output_options, worth_options

if TYPE_CHECKING:
    from hashcost.encoded.reading import Reading
    from hashcost.model import Profile

_FILE = click.Path(path_type=Path, dir_okay=False)
_MOST_BYTES = 1 << 16
_TARGET_SECONDS = 0.1


@click.command(short_help="Tell what one stored hash, or one cost, is worth.")
@click.argument("cost", required=False, metavar="[HASHER=COST]")
@click.option("--app", metavar="APP", help="What wrote the hash, where its form is ambiguous.")
@click.option("--profile", type=_FILE, metavar="PROFILE", help="Take the time from a profile.")
@worth_options
@output_options("table", "json", "csv", "markdown")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def explain(
    cost: str | None,
    app: str | None,
    profile: Path | None,
    policy: tuple[str, ...],
    gpu: str,
    gpu_hourly: float | None,
    form: str,
    output: Path | None,
    quiet: bool,
) -> None:
    """Read one hash or one cost from standard input and tell what it is and is worth.

    No part of the hash is shown, kept or sent. Example: calibrate explain < hash.txt
    """
    from hashcost import __version__
    from hashcost.cli.output import check_outputs, write_result
    from hashcost.cli.worth import devices_named, policies_named
    from hashcost.explanation import explain as explained
    from hashcost.model import Tool
    from hashcost.render.explanation import explanation_document

    check_outputs(output=output)
    policies, devices = policies_named(policy), devices_named(gpu)
    given = _given(cost)
    reading, is_hash = _reading(given, app, named=cost is not None)
    found = explained(
        reading,
        tool=Tool(name="hashcost", version=__version__),
        format_name=reading.format if is_hash else None,
        policies=policies,
        devices=devices,
        dollars_per_hour=gpu_hourly,
        profile=_times(reading, profile, quiet=quiet),
    )
    write_result(explanation_document(found, devices), form, output)


def _given(cost: str | None) -> bytes:
    from hashcost.errors import UnreadableInputError

    if cost is not None:
        return cost.encode(errors="surrogateescape")
    if sys.stdin is None:
        raise UnreadableInputError("cannot read standard input: it is closed")
    if sys.stdin.isatty():
        return click.prompt("hash or cost", hide_input=True, err=True).encode()
    text = sys.stdin.buffer.read(_MOST_BYTES).strip()
    if b"\n" in text:
        raise UnreadableInputError(
            "standard input has several lines; `calibrate audit -` counts many hashes"
        )
    return text


def _reading(given: bytes, app: str | None, *, named: bool) -> tuple[Reading, bool]:
    """What was given, and whether it is a hash rather than a cost."""
    from hashcost.encoded.reading import Kind, Reading
    from hashcost.encoded.registry import read

    cost = _as_cost(given)
    if cost is not None:
        hasher, params = cost
        return Reading(kind=Kind.HASHED, format="cost", hasher=hasher, params=params), False
    if named:
        raise click.UsageError(
            "that is no cost, such as bcrypt=12; a hash belongs on standard input, where no"
            " other user sees it"
        )
    return partial(read, app=app)(given), True


def _as_cost(given: bytes) -> tuple[str, dict[str, int]] | None:
    from hashcost.costs import parse_cost
    from hashcost.strength import COST_NAMES

    text = given.decode(errors="replace")
    if text.partition("=")[0].partition("@")[0].strip() not in COST_NAMES or "=" not in text:
        return None
    cost = parse_cost(text)
    return (cost.hasher, cost.params) if cost.params is not None else None


def _times(reading: Reading, profile: Path | None, *, quiet: bool) -> Profile | None:
    """What the hash is timed by; none where it cannot be."""
    from hashcost.audit import timeable
    from hashcost.check import Standard
    from hashcost.checking import measure
    from hashcost.cli.profiles import profile_named
    from hashcost.cli.progress import progress_bar

    if profile is not None:
        return profile_named("--profile", profile)
    costs = timeable((reading,))
    if not costs:
        return None
    with progress_bar("timing hashes", shown=not quiet and on_terminal()) as report:
        return measure(costs, Standard(target_seconds=_TARGET_SECONDS), progress=report)
