"""``calibrate emit``: the recommended cost as an application's own configuration."""

from pathlib import Path
from typing import Final

import click

from hashcost.apps.interface import App, Reference, Scheme
from hashcost.apps.registry import load_tunable
from hashcost.cli.completion import complete_apps, complete_hashers
from hashcost.cli.exit_code import exit_code
from hashcost.cli.host import current_host
from hashcost.cli.inputs import profile_named
from hashcost.cli.options import (
    history_option,
    output_option,
    policy_option,
    profile_option,
    target_option,
)
from hashcost.cli.output import check_outputs, write_notices, write_remarks, write_text
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import InconclusiveError, UnavailableError, UnreachableError, UsageError
from hashcost.core.profile import Rounding, Verdict
from hashcost.core.quoting import quoted
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.recommend.calibration import calibrate
from hashcost.recommend.emission import fitting, header, least_multiple_of
from hashcost.recommend.one_hasher import only_measurement
from hashcost.recommend.recommendation import solve_again
from hashcost.render.wording import library, standing
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import Policy, assess

_ERRORS: Final = {
    error.exit_code: error for error in (InconclusiveError, UnavailableError, UnreachableError)
}


@click.command
@click.argument(
    "name",
    metavar="APP",
    shell_complete=complete_apps,
)
@target_option("Time that one hash may take in the application.", default="250ms")
@click.option(
    "--hasher",
    metavar="HASHER",
    shell_complete=complete_hashers,
    help="A hasher other than the application's default.",
)
@profile_option("Solve from a saved profile.", name="origin")
@policy_option
@click.option("--enforce", is_flag=True, help="Raise a cost to the policy's minimum.")
@history_option
@output_option("Write the snippet to FILE instead of standard output.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no explanations.")
def emit(
    name: str,
    target: float,
    hasher: str | None,
    origin: Path | None,
    policies: tuple[Policy, ...],
    enforce: bool,
    output: Path | None,
    quiet: bool,
) -> int:
    """Write the configuration snippet, ready to paste; remarks go to standard error.

    If the answer is uncertain, nothing is written. A comment in the snippet says how the
    cost was found.

    `calibrate apps` lists the applications. Example:
    calibrate emit laravel --target 250ms >> .env
    """
    check_outputs(origin, output=output)
    app, scheme, reference = _chosen(name, hasher)
    label = f"{scheme.hasher}@{reference.implementation}"
    floors = floors_of(policies, enforced=enforce)
    if origin is None:
        host = current_host()
        scheme = scheme.on(host.describe().cpu_model)
        with progress_bar(quiet=quiet) as report:
            profile = calibrate(
                target / least_multiple_of(scheme),
                [label],
                policies=policies,
                enforce=enforce,
                progress=report,
                host=host,
            )
    else:
        saved = profile_named("--from", origin)
        row = next((row for row in saved.results if row.label == label), None)
        if row is None:
            raise UnavailableError(
                f"--from: {app.title} needs {label}, which is not in the profile; measure it with"
                f" `calibrate {label} --save PROFILE`"
            )
        scheme = scheme.on(saved.machine.cpu_model)
        # A library that is quicker than the one timed here asks for more than was timed for.
        timed = min(target / least_multiple_of(scheme), max(target, saved.target_seconds))
        profile = solve_again(saved.only(row), timed, Rounding.DOWN, floors)
        for failure in profile.failures:
            if failure.code == InconclusiveError.code:
                raise InconclusiveError(f"--from: {failure.label}: {failure.error}")
    measured = only_measurement(profile)
    emission = fitting(app, scheme, measured, target, floors(scheme.hasher))
    checks = [assess(policy, scheme.hasher, emission.params) for policy in policies]
    named = [check for check in checks if check.verdict is not Verdict.NOT_NAMED]
    standings = [standing(check, of=check.policy) for check in named]
    code = exit_code(profile, named=True, measured=origin is None)
    if not quiet:
        remarks = [*emission.reasons]
        if emission.reached and not code and emission.time_seconds > target:
            remarks.append(
                f"one hash takes {format_duration(emission.time_seconds)}, more than the target"
                f" of {format_duration(target)}"
            )
        write_remarks(f"{app.title}: {remark}" for remark in (*remarks, *standings))
        write_notices(profile)
    if not emission.reached:
        raise UnreachableError(
            f"nothing is written: the lowest cost that {app.title} accepts takes"
            f" {format_duration(emission.time_seconds)}; raise --target above that"
        )
    if code:
        raise _ERRORS.get(code, InconclusiveError)(
            f"nothing is written: {format_setting(emission.params)} is too uncertain; measure"
            " again on a quieter machine with `calibrate --precise --save FILE`"
        )
    write_text(header(emission, profile, library(measured), standings) + emission.snippet, output)
    return 0


def _chosen(name: str, hasher: str | None) -> tuple[App, Scheme, Reference]:
    """The application, its scheme for a hasher, and what is timed in its place."""
    app = load_tunable(name)
    scheme = app.scheme(hasher)
    if scheme is None:
        known = format_list([each.hasher for each in app.schemes])
        raise UsageError(
            f"--hasher: {app.title} does not use {quoted(hasher or '', 60)}; write {known}"
        )
    if scheme.reference is None:
        raise UnavailableError(
            f"{app.title} hashes with {scheme.library}, and nothing here is similar enough to"
            f" time;"
            f" {scheme.note or 'time a login in the application itself'}"
        )
    return app, scheme, scheme.reference
