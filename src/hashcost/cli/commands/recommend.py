"""``calibrate`` without a command's name: the recommendation."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import click
from msgspec import structs

from hashcost.apps.registry import app_names
from hashcost.cli import COMMANDS
from hashcost.cli.completion import completer
from hashcost.cli.elsewhere import RuntimeOptions, Where, runtime_options, where_asked
from hashcost.cli.inputs import profile_named, save_into, saved_before
from hashcost.cli.options import (
    FILE,
    Criteria,
    GroupedCommand,
    criteria_options,
    effort_option,
    memory_option,
    profile_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output, ending, write_notices
from hashcost.cli.process import run_with_huge_pages
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import parse_cost, separated
from hashcost.core.errors import UnknownNameError, UsageError
from hashcost.core.profile import Profile, Result
from hashcost.core.text import either, hint, misspelt, path_name, quoted
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target, parse_duration
from hashcost.hashers.registry import Candidate
from hashcost.recommend.huge_pages import unavailable
from hashcost.recommend.recommendation import solve_again
from hashcost.recommend.saved import labels_in, rows_named
from hashcost.render.commands.recommend import recommendation_document
from hashcost.strength.appraisal import appraise
from hashcost.strength.policies.catalogue import load_policy, policy_names

_ALSO = {
    "help": "--help",
    "version": "--version",
    "apps": "list apps",
    "hashers": "list hashers",
    "policies": "list policies",
    "gpus": "list gpus",
}
"""Words that are typed like a command, with the arguments that were meant."""

_MEASURING = "What to measure"
_WORTH = "What it is worth"
_SECTIONS = {
    **dict.fromkeys(("target", "every", "effort", "memory_bytes", "parallelism"), _MEASURING),
    **dict.fromkeys(("huge_pages", "origin", "runtimes", "project", "prefix"), _MEASURING),
    **dict.fromkeys(("policies", "devices"), _WORTH),
}
"""The section of an option in the help, by the name of its value."""
_OTHERS = "Output"
"""The section of all other options."""
_EPILOG = """\b
Exit codes:
  0 fine   1 a check failed   2 wrong use, unreadable or unwritable file
  3 too noisy or too little measured to tell   4 not available
  5 target too slow   70 a bug   130 interrupted   141 output closed
"""


class _InSections(GroupedCommand):
    """Shows its options in the `_SECTIONS`."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            # A hidden option has none.
            if record is not None and isinstance(option, click.Option):
                title = _SECTIONS.get(str(option.name), _OTHERS)
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


@dataclass(frozen=True, kw_only=True)
class RecommendOptions:
    """The hashers and the target, and where the times come from and go."""

    names: tuple[str, ...]
    target: float | None
    every: bool
    effort: str
    memory_bytes: int | None
    parallelism: int | None
    huge_pages: bool
    save: Path | None
    origin: Path | None
    """A saved profile to solve from, without timing anything."""
    explain: bool
    short: bool


@click.command(cls=_InSections, epilog=_EPILOG)
@click.argument(
    "names", nargs=-1, metavar="[HASHER[@IMPLEMENTATION]...]", shell_complete=completer("hashers")
)
@target_option("Time that one hash may take, with its unit.  [default: the profile's, or 250ms]")
@click.option("--all", "every", is_flag=True, help="Compare every implementation.")
@effort_option
@memory_option
@click.option("--parallelism", type=int, help="Number of argon2id lanes.  [default: 1]")
@criteria_options
@click.option("--explain", is_flag=True, help="Add libraries, wall times, neighbours and sources.")
@click.option("--short", is_flag=True, hidden=True, help="One line a hasher: --format short.")
@click.option("--huge-pages", is_flag=True, help="Measure as a service that asks for huge pages.")
@click.option("--save", type=FILE, metavar="PROFILE", help="Add what was measured to a profile.")
@profile_option("Solve from a saved profile, without timing.", name="origin")
@runtime_options()
@result_options(
    *("table", "short", "json", "csv", "markdown"), quiet="No progress, notices or legend."
)
def recommend(
    asked: RecommendOptions, criteria: Criteria, runtimes: RuntimeOptions, out: Output
) -> None:
    """Find the cost that makes one hash take the target time on this machine.

    Hashes with the library that will do it, and solves for the CPU time of a quiet core, so that
    a busy machine does not weaken the answer.

    Example: calibrate bcrypt pbkdf2-sha256@cryptography --target 40ms
    """
    where = where_asked(runtimes, asked.names, several=True)
    if asked.save == Path("-"):
        raise click.UsageError("--save needs a file; use --format json to print the same")
    if asked.short:
        out = replace(out, form="short")
    out.check([asked.origin])
    # The profile that is read may be the one that is added to.
    out.check(writes=[("--save", asked.save)])

    if asked.origin is None:
        with where.running():
            profile = _measured(asked, criteria, where, out)
    else:
        profile = _solved_again(asked, asked.origin, criteria, where)
    profile = appraise(profile, criteria.policies, criteria.devices)

    if asked.save is not None:
        saved = profile
        if asked.origin is None:
            saved = structs.replace(profile, host=where.host.identity())
        save_into(saved, asked.save, out, criteria=criteria)
    document = recommendation_document(
        profile,
        solved_again=asked.origin is not None,
        policies=criteria.policies,
        devices=criteria.devices,
        # What the other policies would ask for takes a line.
        others=tuple(map(load_policy, policy_names())),
        explained=asked.explain,
    )
    if out.quiet:
        document = structs.replace(document, notes=())
    else:
        # First, so that the answer ends the screen.
        write_notices(profile, explained=asked.explain, saved=asked.origin is not None)
    out.write(document)
    out.end(*ending(profile, asked.names))


def _solved_again(
    asked: RecommendOptions, origin: Path, criteria: Criteria, where: Where
) -> Profile:
    """Solve a saved profile for the target, which is its own if none was typed."""
    _refuse_measuring(asked)
    saved = profile_named("--from", origin, where.host)
    rows = _only(saved, asked.names, origin, where.pool)
    target = saved.target_seconds if asked.target is None else asked.target
    return solve_again(rows, target, criteria.policies)


def _refuse_measuring(asked: RecommendOptions) -> None:
    """Refuse an option that only says how to measure."""
    measuring = {
        "--all": asked.every,
        "--effort": asked.effort != "normal",
        "--memory": asked.memory_bytes is not None,
        "--parallelism": asked.parallelism is not None,
        "--huge-pages": asked.huge_pages,
    }
    for option, is_given in measuring.items():
        if is_given:
            raise click.UsageError(
                f"{option} does not apply to --from, which times nothing; leave it out"
            )


def _measured(asked: RecommendOptions, criteria: Criteria, where: Where, out: Output) -> Profile:
    """Time the hashers, and solve for the target."""
    # A saved profile answers without what measures.
    from hashcost.apps.registry import timed_in_place
    from hashcost.measure import effort as efforts
    from hashcost.measure.request import Request
    from hashcost.recommend.calibration import calibrate

    if asked.huge_pages:
        why = unavailable(where.host.describe())
        if why:
            raise click.UsageError(f"--huge-pages does nothing here: {why}; leave it out")
        # The process begins anew, as one whose malloc asks for them.
        run_with_huge_pages()
    target = asked.target
    also: tuple[str, ...] = ()
    if asked.save is not None:
        # A profile of another machine is refused before the work.
        before = saved_before(asked.save, where.host.describe(), where.host.identity())
        if target is None and before is not None:
            target = before.target_seconds
        if not asked.names:
            also = timed_in_place()
    request = Request(
        target_seconds=DEFAULT_TARGET_SECONDS if target is None else target,
        hashers=asked.names,
        every_implementation=asked.every,
        effort=getattr(efforts, asked.effort.upper()),
        memory_bytes=asked.memory_bytes,
        parallelism=asked.parallelism,
        also=also,
        policies=criteria.policies,
    )
    try:
        with out.progress() as report:
            return calibrate(request, progress=report, host=where.host, pool=where.pool)
    except UnknownNameError as error:
        # The name may be that of a command.
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
    # A command that is nearly spelled is meant more often than anything below.
    near = misspelt(name, [*COMMANDS, *_ALSO])
    if near:
        return [_ALSO.get(near[0], near[0])]
    if name in app_names():
        return [f"emit {name}"]
    given = ["", *click.get_current_context().params.get("names", ())]
    before = ""
    # The word before may be the hasher that a cost or a target belongs to.
    if name in given:
        before = given[given.index(name) - 1]
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
    # Params without their hasher, as in `scrypt n=16384,r=8,p=1`.
    with contextlib.suppress(UsageError):
        cost = f"{before} {name}".strip()
        parse_cost(cost)
        return [f"check '{cost}'" if " " in cost else f"check {cost}"]
    # A known hasher with an invalid cost is told what is wrong with that.
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
    """The profile with only the named rows; with all of them if none is named."""
    if not names:
        return profile
    rows: list[Result] = []
    for name in names:
        named = rows_named(profile, name)
        if not named:
            raise click.UsageError(
                f"{path_name(origin)} does not contain {quoted(name, 60)};"
                f" {_instead(profile, name, pool)}"
            )
        rows += named
    # In the order of the profile; a row of another context comes last.
    order = [row for row in profile.results if row in rows]
    order += [row for row in rows if row not in order]
    return profile.only(*order)


def _instead(profile: Profile, name: str, pool: tuple[Candidate, ...]) -> str:
    """Say what to do about a hasher that a profile lacks."""
    if any(name in (candidate.hasher, candidate.label) for candidate in pool):
        return f"add it with `calibrate {name} --save FILE`"
    meant = _meant(name)
    if meant:
        return _offered(meant)
    labels = labels_in(profile)
    if "@" not in name:
        labels = tuple(dict.fromkeys(label.partition("@")[0] for label in labels))
    return hint(name, list(labels))
