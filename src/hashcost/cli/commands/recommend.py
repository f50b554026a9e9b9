"""``calibrate`` without a command's name: the recommendation.

`calibrate --help` shows the options here, so what the command itself needs is imported when
it runs.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from hashcost.cli.completion import complete_hashers
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.host import current_host
from hashcost.cli.options import (
    DURATION,
    FILE,
    WHOLE,
    history_option,
    memory_option,
    memory_total_option,
    profile_option,
    result_options,
    rounding_option,
    target_option,
    worth_options,
)
from hashcost.core.errors import UnknownNameError
from hashcost.core.foreign import path_name
from hashcost.core.quoting import quoted

if TYPE_CHECKING:
    from pathlib import Path

    from hashcost.cli.output import Output
    from hashcost.core.profile import Profile
    from hashcost.worth.attackers.device import Device
    from hashcost.worth.policies.policy import Policy


_OPTIONS = {"help": "--help", "version": "--version"}
"""What other programs have as commands."""


@click.command
@click.argument(
    "names",
    nargs=-1,
    metavar="[HASHER[@IMPLEMENTATION]...]",
    shell_complete=complete_hashers,
)
@target_option("Time that one hash may take, with its unit.", default="250ms")
@click.option("--all", "every", is_flag=True, help="Every implementation, and how they compare.")
@rounding_option
@click.option("--fast", is_flag=True, help="Measure less.")
@click.option(
    "--precise", is_flag=True, help="Watch the core for ten seconds, twenty if it is shared."
)
@click.option(
    "--budget",
    type=DURATION,
    help="Start no hash that would end later than this. [default: 15s, more for long targets]",
)
@memory_option
@click.option(
    "--at-once",
    type=WHOLE,
    metavar="N",
    help="Hashes that have room at once within --memory-total.  [default: one a CPU]",
)
@memory_total_option
@click.option("--parallelism", type=WHOLE, help="Lanes of argon2id.  [default: 1]")
@click.option(
    "--tradeoff",
    is_flag=True,
    help="Of one memory-hard hasher, all settings of equal time: memory against passes.",
)
@click.option(
    "--prefer",
    type=click.Choice(["area-time", "memory", "gpu"]),
    default="area-time",
    show_default=True,
    help="Of memory-hard settings within the target: the one that costs most to attack with"
    " chips made for it, the one with the most memory, or the dearest on a GPU.",
)
@worth_options
@click.option(
    "--enforce", is_flag=True, help="Raise a cost below a policy's floor, beyond the target."
)
@click.option(
    "--capacity", is_flag=True, help="Also measure how many logins a second this machine takes."
)
@click.option(
    "--explain", is_flag=True, help="Also show libraries, wall time, next steps and sources."
)
@click.option("--save", type=FILE, metavar="PROFILE", help="Keep what was measured.")
@profile_option("Solve from a saved profile; nothing is timed.", name="origin")
@elsewhere_options("names", several=True)
@history_option
@result_options("table", "json", "csv", "markdown", quiet="No progress and no advice.")
def recommend(
    names: tuple[str, ...],
    target: float,
    every: bool,
    rounding: str,
    fast: bool,
    precise: bool,
    prefer: str,
    policies: tuple[Policy, ...],
    devices: tuple[Device, ...],
    gpu_hourly: float | None,
    enforce: bool,
    capacity: bool,
    explain: bool,
    save: Path | None,
    origin: Path | None,
    out: Output,
    **measured: Any,
) -> int:
    """Recommend the cost that makes one hash take the target time here.

    Example: calibrate bcrypt pbkdf2-sha256 --target 40ms
    """
    # ``measured`` are the options that only a measurement has a use for.
    from hashcost.cli.exit_code import exit_code
    from hashcost.cli.inputs import profile_named
    from hashcost.cli.output import on_terminal, write_notices
    from hashcost.cli.progress import progress_bar
    from hashcost.core.algorithms import area_time, memory_first, traffic
    from hashcost.core.profile import Rounding
    from hashcost.documents.profile import save_profile
    from hashcost.logins.capacity import with_capacity
    from hashcost.measure.effort import FAST, NORMAL, PRECISE
    from hashcost.recommend.calibration import calibrate
    from hashcost.recommend.recommendation import solve_again
    from hashcost.render.commands.recommend import recommendation_document
    from hashcost.worth.appraisal import appraise, floors_of
    from hashcost.worth.policies.catalogue import load_policy, policy_names

    if fast and precise:
        raise click.UsageError("--fast and --precise exclude each other; choose one")
    if str(save) == "-":
        raise click.UsageError("--save needs a file; --format json writes the same to the output")
    if enforce and not policies:
        raise click.UsageError("--enforce needs a policy to enforce; name one with --policy")
    strength_of = {"area-time": area_time, "memory": memory_first, "gpu": traffic}[prefer]
    out.check(origin)
    out.check(save=save)
    if origin is not None:
        useless = {"all": every, "fast": fast, "precise": precise, "capacity": capacity}
        for name, given in (useless | measured).items():
            if given is not None and given is not False:
                option = f"--{name.replace('_', '-')}"
                raise click.UsageError(f"{option} has no use with --from: nothing is timed")
        profile = solve_again(
            _only(profile_named("--from", origin), names, origin),
            target,
            Rounding(rounding),
            floors_of(policies, enforced=enforce),
            strength_of,
        )
    else:
        host = current_host()
        with progress_bar(quiet=out.quiet) as report, _naming_commands():
            profile = calibrate(
                target,
                names,
                every_implementation=every,
                rounding=Rounding(rounding),
                effort=FAST if fast else PRECISE if precise else NORMAL,
                lower_targets=save is not None and not measured["tradeoff"],
                policies=policies,
                enforce=enforce,
                strength_of=strength_of,
                progress=report,
                host=host,
                **measured,
            )
        if capacity:
            with progress_bar(quiet=out.quiet) as report:
                profile = with_capacity(profile, progress=report, host=host)
    profile = appraise(profile, policies, devices, dollars_per_hour=gpu_hourly)
    if save is not None:
        save_profile(profile, save)
    document = recommendation_document(
        profile,
        solved_again=origin is not None,
        policies=policies,
        devices=devices,
        others=tuple(map(load_policy, policy_names())),
        explained=explain,
    )
    ahead = on_terminal(sys.stdout)  # There the answer is to be the last on the screen.
    if ahead and not out.quiet:
        write_notices(profile)
    out.write(document)
    if not ahead and not out.quiet:
        write_notices(profile)
    return exit_code(profile, named=bool(names), measured=origin is None)


@contextlib.contextmanager
def _naming_commands() -> Iterator[None]:
    """What was meant as something else arrives here as the name of a hasher: offer that."""
    try:
        yield
    except UnknownNameError as error:
        meant = _meant(error.name)
        if meant is None:
            raise
        raise click.UsageError(
            f"no command or hasher {quoted(error.name, 60)}; did you mean `calibrate {meant}`?"
        ) from error


def _meant(name: str) -> str | None:
    """The arguments that were meant by what is no hasher's name, if that is plain."""
    import difflib

    from hashcost.core.cost_expressions import parse_cost
    from hashcost.core.errors import UsageError
    from hashcost.core.units import parse_duration

    root = click.get_current_context().find_root()
    commands = root.command.list_commands(root) if isinstance(root.command, click.Group) else []
    near = difflib.get_close_matches(name.lower(), [*commands, *_OPTIONS], n=1)
    if near:
        return _OPTIONS.get(near[0], near[0])
    for parse, meant in ((parse_cost, f"check {name}"), (parse_duration, f"--target {name}")):
        with contextlib.suppress(UsageError):
            if parse is parse_duration or "=" in name:
                parse(name)
                return meant
    return None


def _only(profile: Profile, names: tuple[str, ...], origin: Path) -> Profile:
    """The profile with only the named rows."""
    if not names:
        return profile
    for name in names:
        if not any(name in (row.hasher, row.label) for row in profile.results):
            known = ", ".join(row.label for row in profile.results)
            raise click.UsageError(
                f"{path_name(origin)} has no {quoted(name, 60)}; it has {known}"
            )
    kept = tuple(row for row in profile.results if row.hasher in names or row.label in names)
    return profile.only(*kept)
