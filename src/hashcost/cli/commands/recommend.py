"""``calibrate`` without a command's name: the recommendation."""

import contextlib
import difflib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace

from hashcost.apps.registry import app_names
from hashcost.cli.completion import complete_hashers
from hashcost.cli.elsewhere import Where, elsewhere_options
from hashcost.cli.inputs import profile_named, save_into, saved_before
from hashcost.cli.options import (
    FILE,
    effort_option,
    memory_option,
    profile_option,
    result_options,
    target_option,
    worth_options,
)
from hashcost.cli.output import Output, ending, write_notices
from hashcost.cli.process import run_with_huge_pages
from hashcost.cli.progress import progress_bar
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import parse_cost, separated
from hashcost.core.errors import UnknownNameError, UsageError
from hashcost.core.profile import Profile, Result
from hashcost.core.text import either, hint, path_name, quoted
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target, parse_duration
from hashcost.hashers.registry import Candidate
from hashcost.recommend.huge_pages import unavailable
from hashcost.recommend.recommendation import solve_again
from hashcost.recommend.saved import labels_in, rows_named
from hashcost.render.commands.recommend import recommendation_document
from hashcost.strength.appraisal import appraise
from hashcost.strength.attackers.device import Device
from hashcost.strength.policies.catalogue import load_policy, policy_names
from hashcost.strength.policies.policy import Policy

_ALSO = {
    "help": "--help",
    "version": "--version",
    **{kind: f"list {kind}" for kind in ("apps", "hashers", "policies", "gpus")},
}
"""Words that are typed like a command, with the arguments that were meant."""


_SECTIONS = {
    "What to measure": (
        *("target", "every", "effort", "memory", "parallelism", "huge_pages"),
        *("origin", "runtimes", "project", "prefix"),
    ),
    "What it is worth": ("policies", "devices"),
}
"""The options in the help, by the names of their values; the rest is about output."""
_EPILOG = """\b
Exit codes:
  0 fine   1 a check failed   2 wrong use, unreadable or unwritable file
  3 too noisy or too little measured to tell   4 not available
  5 target too slow   70 a bug   130 interrupted   141 output closed
"""


class _InSections(click.Command):
    """Shows its options in the `_SECTIONS`."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        titles = {name: title for title, names in _SECTIONS.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {**{t: [] for t in _SECTIONS}, "Output": []}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                sections[titles.get(option.name or "", "Output")].append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


@click.command(cls=_InSections, epilog=_EPILOG)
@click.argument(
    "names", nargs=-1, metavar="[HASHER[@IMPLEMENTATION]...]", shell_complete=complete_hashers
)
@target_option("Time that one hash may take, with its unit.  [default: the profile's, or 250ms]")
@click.option("--all", "every", is_flag=True, help="Compare every implementation.")
@effort_option
@memory_option
@click.option("--parallelism", type=int, help="Number of argon2id lanes.  [default: 1]")
@worth_options
@click.option("--explain", is_flag=True, help="Add libraries, wall times, neighbours and sources.")
@click.option("--short", is_flag=True, hidden=True, help="One line a hasher: --format short.")
@click.option("--huge-pages", is_flag=True, help="Measure as a service that asks for huge pages.")
@click.option("--save", type=FILE, metavar="PROFILE", help="Add what was measured to a profile.")
@profile_option("Solve from a saved profile, without timing.", name="origin")
@elsewhere_options("names", several=True)
@result_options(
    *("table", "short", "json", "csv", "markdown"), quiet="No progress, notices or legend."
)
def recommend(
    names: tuple[str, ...],
    target: float | None,
    every: bool,
    effort: str,
    memory: int | None,
    parallelism: int | None,
    policies: tuple[Policy, ...],
    devices: tuple[Device, ...],
    explain: bool,
    short: bool,
    huge_pages: bool,
    save: Path | None,
    origin: Path | None,
    where: Where,
    out: Output,
) -> None:
    """Find the cost that makes one hash take the target time on this machine.

    Hashes with the library that will do it, and solves for the CPU time of a quiet core, so that
    a busy machine does not weaken the answer.

    Example: calibrate bcrypt pbkdf2-sha256@cryptography --target 40ms
    """
    if str(save) == "-":
        raise click.UsageError("--save needs a file; use --format json to print the same")
    if short:
        out = replace(out, form="short")
    out.check(origin)
    out.check(save=save)
    if origin is not None:
        measuring = {
            "--all": every,
            "--effort": effort != "normal",
            "--memory": memory is not None,
            "--parallelism": parallelism is not None,
            "--huge-pages": huge_pages,
        }
        for option in (option for option, is_given in measuring.items() if is_given):
            raise click.UsageError(
                f"{option} does not apply to --from, which times nothing; leave it out"
            )
        saved = profile_named("--from", origin, where.host)
        profile = solve_again(
            _only(saved, names, origin, where.pool),
            saved.target_seconds if target is None else target,
            policies,
        )
        identity = profile.host
    else:
        # A saved profile answers without what measures.
        from hashcost.apps.registry import timed_in_place
        from hashcost.measure import effort as efforts
        from hashcost.recommend.calibration import Request, calibrate

        if huge_pages:
            why = unavailable(where.host.describe())
            if why:
                raise click.UsageError(f"--huge-pages does nothing here: {why}; leave it out")
            run_with_huge_pages()
        identity = where.host.identity() if save is not None else None
        before = saved_before(save, where.host.describe(), identity)
        usual = DEFAULT_TARGET_SECONDS if before is None else before.target_seconds
        request = Request(
            target_seconds=usual if target is None else target,
            hashers=names,
            every_implementation=every,
            effort=getattr(efforts, effort.upper()),
            memory_bytes=memory,
            parallelism=parallelism,
            also=timed_in_place() if save is not None and not names else (),
            policies=policies,
        )
        with progress_bar(quiet=out.quiet) as report, _naming_commands():
            profile = calibrate(request, progress=report, host=where.host, pool=where.pool)
    worth = partial(appraise, policies=policies, devices=devices)
    profile = worth(profile)
    if save is not None:
        save_into(replace(profile, host=identity), save, worth, quiet=out.quiet)
    document = recommendation_document(
        profile,
        solved_again=origin is not None,
        policies=policies,
        devices=devices,
        others=tuple(map(load_policy, policy_names())),
        explained=explain,
    )
    if out.quiet:
        document = replace(document, notes=())
    else:
        # First, so that the answer ends the screen.
        write_notices(profile, explained=explain, saved=origin is not None)
    out.write(document)
    out.end(*ending(profile, named=bool(names)))


@contextlib.contextmanager
def _naming_commands() -> Iterator[None]:
    """Offer the command that was meant by an unknown hasher's name."""
    try:
        yield
    except UnknownNameError as error:
        meant = _meant(error.name)
        if not meant:
            raise
        raise click.UsageError(
            f"unknown command or hasher {quoted(error.name, 60)}; {_offered(meant)}"
        ) from error


def _offered(meant: Iterable[str]) -> str:
    return f"did you mean {either([f'`calibrate {arguments}`' for arguments in meant])}?"


def _meant(name: str) -> list[str]:
    """The arguments that an unknown name was meant as, where they are obvious.

    Raises:
        UsageError: it is the cost of a known hasher, and an invalid one.
    """
    root = click.get_current_context().find_root()
    commands = root.command.list_commands(root) if isinstance(root.command, click.Group) else []
    given = ["", *click.get_current_context().params.get("names", ())]
    before = given[given.index(name) - 1] if name in given else ""
    near = difflib.get_close_matches(name.lower(), [*commands, *_ALSO], n=1)
    if near:
        return [_ALSO.get(near[0], near[0])]
    if name in app_names():
        return [f"emit {name}"]
    if name.isdecimal():
        return _meant_by_number(name, before)
    with contextlib.suppress(UsageError):
        parse_duration(name)
        return [f"--target {name}"]
    cost = separated(name, COST_NAMES)
    if cost is not None:
        return [f"check {cost}"]
    if "=" not in name:
        return []
    with contextlib.suppress(UsageError):
        cost = f"{before} {name}".strip()
        parse_cost(cost)
        return [f"check '{cost}'" if " " in cost else f"check {cost}"]
    try:
        parse_cost(name)
    except UsageError:
        if name.partition("=")[0].partition("@")[0] in COST_NAMES:
            raise
        return []
    return [f"check {name}"]


def _meant_by_number(number: str, before: str) -> list[str]:
    """Read a number without a unit as milliseconds, and as the cost of the hasher before it."""
    meant = []
    with contextlib.suppress(UsageError):
        check_target(parse_duration(f"{number}ms"))
        meant.append(f"{before} --target {number}ms".strip())
    cost = separated(f"{before}={number}", COST_NAMES)
    if cost is not None:
        meant.append(f"check {cost}")
    return meant


def _only(
    profile: Profile, names: tuple[str, ...], origin: Path, pool: tuple[Candidate, ...]
) -> Profile:
    """The profile with only the named rows."""
    rows: list[Result] = []
    for name in names:
        named = rows_named(profile, name)
        if not named:
            labels = labels_in(profile)
            if "@" not in name:
                labels = tuple(dict.fromkeys(label.partition("@")[0] for label in labels))
            meant = _meant(name)
            instead = _offered(meant) if meant else hint(name, list(labels))
            if name in {text for row in pool for text in (row.hasher, row.label)}:
                instead = f"add it with `calibrate {name} --save FILE`"
            raise click.UsageError(
                f"{path_name(origin)} does not contain {quoted(name, 60)}; {instead}"
            )
        rows += named
    if not names:
        return profile
    order = [row for row in profile.results if row in rows]
    return profile.only(*order, *(row for row in rows if row not in order))
