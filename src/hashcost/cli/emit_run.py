"""The cost of one application for `calibrate emit`, from a profile or timed here."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hashcost.apps.interface import App, Reference, Scheme
from hashcost.cli.inputs import profile_named, profile_or_decision
from hashcost.cli.output import exit_code, write_notices, write_remarks
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import (
    InconclusiveError,
    UnavailableError,
    UnreachableError,
    UsageError,
    said_of,
)
from hashcost.core.profile import Profile, Rounding, Verdict
from hashcost.core.text import path_name, quoted
from hashcost.core.units import (
    DEFAULT_TARGET_SECONDS,
    format_duration,
    format_list,
    format_setting,
)
from hashcost.hashers.registry import Candidate, load_first, select
from hashcost.machine.host import Host
from hashcost.recommend.calibration import calibrate
from hashcost.recommend.emission import Emission, Emitted, fitting, header
from hashcost.recommend.library_times import longest_here
from hashcost.recommend.one_hasher import only_measurement
from hashcost.recommend.recommendation import solve_again
from hashcost.recommend.saved import rows_named
from hashcost.render.wording import library, standing
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import Policy, assess

_ERRORS: Final = {
    error.exit_code: error for error in (InconclusiveError, UnavailableError, UnreachableError)
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The cost of one application, with what there is to say of it."""

    emission: Emission
    profile: Profile
    head: str
    standings: tuple[str, ...]

    @property
    def title(self) -> str:
        """The application's name."""
        return self.emission.app.title

    @property
    def snippet(self) -> str:
        """The setting to paste, below its comment."""
        return self.head + self.emission.snippet

    def emitted(
        self, path: str | None = None, diff: str | None = None, backup: Path | None = None
    ) -> Emitted:
        """The same as JSON has it."""
        emission, reference = self.emission, self.emission.scheme.reference
        return Emitted(
            app=emission.app.name,
            title=self.title,
            hasher=emission.scheme.hasher,
            implementation="" if reference is None else reference.implementation,
            params=emission.params,
            time_seconds=emission.time_seconds,
            target_seconds=emission.target_seconds,
            snippet=self.snippet,
            reasons=(*emission.reasons, *self.standings),
            file=None if path is None else path_name(path),
            diff=diff,
            backup=None if backup is None else path_name(backup),
        )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The options of the command, for every application."""

    target: float | None
    hasher: str | None
    origin: Path | None
    policies: tuple[Policy, ...]
    enforce: bool
    quiet: bool
    host: Host
    pool: tuple[Candidate, ...]


def answered(app: App, scheme: Scheme, reference: Reference, asked: Asked) -> Answer:
    """The cost of an application, if it is certain.

    Raises:
        HashcostError: it is not; nothing is to be written.
    """
    policies, enforce = asked.policies, asked.enforce
    label = f"{scheme.hasher}@{reference.implementation}"
    floors = floors_of(policies, enforced=enforce)
    if asked.origin is None:
        target = DEFAULT_TARGET_SECONDS if asked.target is None else asked.target
        host = asked.host
        scheme = scheme.on(host.describe().cpu_model)
        with progress_bar(quiet=asked.quiet) as report:
            profile = calibrate(
                longest_here(scheme, target),
                [label],
                policies=policies,
                enforce=enforce,
                progress=report,
                host=host,
                pool=asked.pool,
            )
    else:
        saved, target = profile_or_decision(asked.origin, label, asked.target)
        row = next(iter(rows_named(saved, label)), None)
        if row is None:
            raise UnavailableError(_missing(app, label, asked.origin, asked.pool))
        scheme = scheme.on(saved.machine.cpu_model)
        # A library that is quicker than the one timed here asks for more than was timed for.
        timed = min(longest_here(scheme, target), max(target, saved.target_seconds))
        profile = solve_again(saved.only(row), timed, Rounding.DOWN, floors)
        for failure in profile.failures:
            if failure.code == InconclusiveError.code:
                raise InconclusiveError(f"--from: {failure.label}: {failure.error}")
    measured = only_measurement(profile)
    emission = fitting(app, scheme, measured, target, floors(scheme.hasher))
    checks = [assess(policy, scheme.hasher, emission.params) for policy in policies]
    named = [check for check in checks if check.verdict is not Verdict.NOT_NAMED]
    standings = [standing(check, of=check.policy) for check in named]
    code = exit_code(profile, named=True)
    if not asked.quiet and (code or not emission.reached):
        write_remarks(f"{app.title}: {remark}" for remark in (*emission.reasons, *standings))
        write_notices(profile)
    if not emission.reached:
        raise UnreachableError(
            f"nothing is written: the lowest cost that {app.title} accepts takes"
            f" {format_duration(emission.time_seconds)}; raise --target above that"
        )
    if code:
        raise _ERRORS.get(code, InconclusiveError)(
            f"nothing is written: {format_setting(emission.params)} is too uncertain; measure"
            " again on a quieter machine with `calibrate --effort precise --save FILE`"
        )
    return Answer(
        emission=emission,
        profile=profile,
        head=header(emission, profile, library(measured), standings),
        standings=tuple(standings),
    )


def _missing(app: App, label: str, origin: Path, pool: Sequence[Candidate]) -> str:
    """Why there is no answer where a profile lacks what an application needs."""
    told = f"--from: {app.title} needs {label}, which the profile does not have"
    (choice,) = select([label], every_implementation=False, available=pool)
    try:
        load_first(choice)
    except UnavailableError as error:
        return f"{told}; it cannot be timed here: {error}"
    return f"{told}; add it with `calibrate {label} --save {path_name(origin)}`"


def timed_elsewhere(origin: Path | None, pool: Sequence[Candidate]) -> frozenset[str]:
    """The labels in a profile or a decision, or the runtimes' libraries that can be timed now."""
    from hashcost.documents.decision import SUFFIX, load_decision

    if origin is None:
        return frozenset(each.label for each in pool if each.runtime)
    if origin.suffix == SUFFIX:
        with said_of("--from"):
            return frozenset(each.label for each in load_decision(origin).cost)
    return frozenset(row.label for row in profile_named("--from", origin).recommendations)


def chosen(
    app: App, hasher: str | None, elsewhere: Collection[str]
) -> tuple[App, Scheme, Reference]:
    """The application, its scheme for a hasher, and what is timed in its place.

    That is its own library, if it is ``elsewhere``.
    """
    scheme = app.scheme(hasher)
    if scheme is None:
        known = format_list([each.hasher for each in app.schemes])
        raise UsageError(
            f"--hasher: {app.title} does not use {quoted(hasher or '', 60)}; write {known}"
        )
    scheme = scheme.run_by(elsewhere)
    if scheme.reference is None:
        raise UnavailableError(
            f"{app.title} hashes with {scheme.library}, and nothing here is similar enough to"
            f" time; {scheme.note or 'time a login in the application itself'}"
        )
    return app, scheme, scheme.reference
