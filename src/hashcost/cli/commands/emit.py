"""``calibrate emit``: the recommended cost as an application's own configuration."""

from pathlib import Path
from typing import Final

import click

from hashcost.apps.interface import App, Reference, Scheme
from hashcost.apps.registry import load_tunable
from hashcost.cli.completion import complete_apps, complete_hashers
from hashcost.cli.elsewhere import elsewhere_options
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
from hashcost.core.units import format_cost, format_duration, format_list
from hashcost.hashers.registry import candidates
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
    help="One that the application does not use unasked.",
)
@profile_option("Solve from a saved profile.", name="origin")
@policy_option
@click.option("--enforce", is_flag=True, help="Raise a cost below a policy's floor to it.")
@elsewhere_options()
@history_option
@output_option("Write the snippet to FILE instead of standard output.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, and no reasons.")
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
    """Write the snippet alone, ready to paste; what there is to say of it goes to stderr.

    Without a certain answer nothing is written. The comment says what readers must know.

    `calibrate apps` lists the applications. Example:
    calibrate emit laravel --target 250ms >> .env
    """
    check_outputs(origin, output=output)
    app, scheme, reference = _chosen(name, hasher, _timed_elsewhere(origin))
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
                f"--from: {app.title} needs {label}, which the profile has not; make one with"
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
    if not quiet and (code or not emission.reached):
        write_remarks(f"{app.title}: {remark}" for remark in (*emission.reasons, *standings))
        write_notices(profile)
    if not emission.reached:
        raise UnreachableError(
            f"nothing is written: {app.title} accepts nothing that fits {format_duration(target)};"
            f" the lowest takes {format_duration(emission.time_seconds)}"
        )
    if code:
        raise _ERRORS.get(code, InconclusiveError)(
            f"nothing is written: {format_cost(emission.params)} is not certain enough;"
            " measure again when the machine is quieter, or longer with --precise and --save"
        )
    write_text(header(emission, profile, library(measured), standings) + emission.snippet, output)
    if not quiet:
        remarks = [*emission.reasons]
        if emission.time_seconds > target:
            remarks.append(
                f"one hash takes {format_duration(emission.time_seconds)}, more than"
                f" {format_duration(target)}"
            )
        write_remarks(f"{app.title}: {remark}" for remark in (*remarks, *standings))
        write_notices(profile)
    return 0


def _timed_elsewhere(origin: Path | None) -> set[str]:
    """The rows of other runtimes that a profile has, or those that can be timed now."""
    if origin is None:
        return {each.label for each in candidates() if each.runtime}
    saved = profile_named("--from", origin)
    return {row.label for row in saved.recommendations}


def _chosen(name: str, hasher: str | None, elsewhere: set[str]) -> tuple[App, Scheme, Reference]:
    """The application, its scheme for a hasher, and what is timed in its place."""
    app = load_tunable(name)
    scheme = app.scheme(hasher)
    if scheme is None:
        known = format_list([each.hasher for each in app.schemes])
        raise UsageError(f"--hasher: {app.title} has {known}, not {quoted(hasher or '', 60)}")
    scheme = scheme.run_by(elsewhere)
    if scheme.reference is None:
        raise UnavailableError(
            f"{app.title} hashes with {scheme.library}, which nothing here comes near;"
            f" {scheme.note or 'time it there'}"
        )
    return app, scheme, scheme.reference
