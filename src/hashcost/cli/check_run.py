"""What ``check`` and ``scan`` share: what costs are held to, and how the result is told."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec

from hashcost.cli.check_options import CheckOptions
from hashcost.cli.host import current_host, environment
from hashcost.cli.inputs import policies_named, profile_named
from hashcost.cli.output import (
    append_summary,
    check_apart,
    check_outputs,
    write_result,
    write_warnings,
)
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import InconclusiveError, UnavailableError
from hashcost.core.origin import Notice
from hashcost.core.profile import Profile
from hashcost.core.targets import DEFAULT_TARGET_SECONDS, check_target
from hashcost.documents.settings import SHARED_FILE, Settings, find_settings, load_settings
from hashcost.render.document import Document, Severity
from hashcost.verdicts.check import check_all, measurement_for
from hashcost.verdicts.full_costs import completed, completed_by, installed_versions
from hashcost.verdicts.judgement import (
    DEFAULT_TOLERANCE,
    FAILING,
    Configured,
    Judgement,
    Outcome,
    Standard,
)
from hashcost.verdicts.profile_age import outdated

_FAILED = 1
_DEFAULT_POLICIES = ("owasp",)
_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Where GitHub and GitLab say that they have put the repository."""


class CheckRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run: what it holds costs to, by what profile if any, and where its result goes."""

    given: CheckOptions
    settings: Settings
    standard: Standard
    profile: Profile | None

    @property
    def live(self) -> bool:
        """Whether costs are timed here."""
        return self.profile is None

    @property
    def failing(self) -> Severity:
        """How much it matters that a cost fails."""
        return Severity.WARNING if self.given["warn_only"] else Severity.ERROR

    @property
    def unsure(self) -> Severity:
        """How much it matters that nobody can tell."""
        severities = {"pass": Severity.NOTE, "fail": self.failing}
        return severities.get(self._on_inconclusive or "", Severity.WARNING)

    @property
    def _on_inconclusive(self) -> str | None:
        return self.given["on_inconclusive"] or self.settings.on_inconclusive

    def completed(self, costs: Sequence[Configured]) -> tuple[Configured, ...]:
        """The costs with every param: as the profile has them, or the libraries that are here."""
        if self.profile is None:
            return completed(costs)
        return tuple(_completed_by(self.profile, cost) for cost in costs)

    def check(
        self, costs: Sequence[Configured]
    ) -> tuple[Profile, tuple[Judgement, ...], tuple[Notice, ...]]:
        """What was measured, a judgement for each cost, and what speaks against them."""
        if self.profile is not None:
            results = check_all(costs, self.profile, self.standard)
            max_age = self.given["max_age"] or self.settings.max_age
            return self.profile, results, _doubts(self.profile, results, max_age)
        # A profile answers without what measures.
        from hashcost.verdicts.live_check import check_live

        with progress_bar("timing hashes", quiet=self.given["quiet"]) as report:
            measured, results = check_live(
                costs, self.standard, progress=report, host=current_host()
            )
        return measured, results, measured.warnings

    def write(self, document: Document) -> None:
        """Write the result, and its reports in other forms."""
        write_result(document, self.given["form"], self.given["output"])
        for form, path in self.given["reports"]:
            write_result(document, form, path)

    def end(
        self, document: Document, results: Iterable[Judgement], notices: Sequence[Notice]
    ) -> int:
        """Add the result to the summary of a CI job, give advice, and return the exit code."""
        append_summary(document, notices)
        if not self.given["quiet"]:
            write_warnings(notices)
        return 0 if self.given["warn_only"] else exit_code(results, self._on_inconclusive)


def begin(given: CheckOptions, *files: Path, **others: Path | None) -> CheckRun:
    """Read the settings and the profile, before any work is done.

    What is given goes before what the settings say. ``files`` are what the command
    reads beside, ``others`` the outputs of its own options.

    Raises:
        UsageError: an option or a setting is wrong.
        UnreadableInputError: the settings, a policy or the profile cannot be read.
        UnwritableOutputError: an output could not be written.
    """
    settings = _settings(given["config"])
    reports = tuple(path for _, path in given["reports"])
    check_apart(output=given["output"], report=reports, **others)
    read = (given["profile"] or settings.profile, settings.path, *files)
    check_outputs(*read, output=given["output"], **others)
    for path in reports:
        check_outputs(*read, report=path)
    append_summary()
    standard = _standard(given, settings)
    profile = given["profile"] or settings.profile
    if given["max_age"] is not None and profile is None:
        raise click.UsageError("--max-age is about the age of a --profile; name one")
    option = _named("profile", given["profile"], settings)
    return CheckRun(
        given=given,
        settings=settings,
        standard=standard,
        profile=None if profile is None else profile_named(option, profile),
    )


def exit_code(results: Iterable[Judgement], on_inconclusive: str | None) -> int:
    """The code that a check ends with: a failure goes before what could not be told."""
    found = {row.outcome for row in results}
    if found & FAILING:
        return _FAILED
    if Outcome.UNAVAILABLE in found:
        return UnavailableError.exit_code
    if Outcome.INCONCLUSIVE in found:
        codes = {"pass": 0, "fail": _FAILED}
        return codes.get(on_inconclusive or "", InconclusiveError.exit_code)
    return 0


def from_root(path: Path) -> str | None:
    """The path as seen from the repository's top, as annotations want it, where CI tells."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    for root in filter(None, map(environment().get, _ROOTS)):
        if whole.is_relative_to(root):
            return whole.relative_to(root).as_posix()
    return None


def _settings(config: Path | None) -> Settings:
    if config is None:
        return find_settings(Path.cwd()) or Settings(path=Path())
    found = load_settings(config)
    if found is None:
        raise click.UsageError(
            f"--config: {config} has no table [tool.hashcost]; {SHARED_FILE} needs one"
        )
    return found


def _standard(given: CheckOptions, settings: Settings) -> Standard:
    """What the costs are held to, by the options and else by the settings."""
    target = given["target"] or settings.target or DEFAULT_TARGET_SECONDS
    check_target(target, name=_named("target", given["target"], settings))
    longest = given["longest"] or settings.max
    if longest is not None and longest < target:
        name = _named("max", given["longest"], settings)
        raise click.UsageError(f"{name}: it is shorter than the target")
    tolerance = settings.tolerance if given["tolerance"] is None else given["tolerance"]
    return Standard(
        target_seconds=target,
        policies=policies_named(
            given["policy"] or settings.policy or _DEFAULT_POLICIES,
            name=_named("policy", given["policy"], settings),
        ),
        tolerance=DEFAULT_TOLERANCE if tolerance is None else tolerance,
        longest_seconds=longest,
    )


def _named(key: str, given: object, settings: Settings) -> str:
    """What the user wrote a value for: the option, or the key of the file of settings."""
    written = getattr(settings, key) is not None and not given
    return f"{settings.path}: {key}" if written else f"--{key}"


def _completed_by(profile: Profile, cost: Configured) -> Configured:
    """The cost with every param as the profile's row of its hasher has them."""
    known = measurement_for(cost, profile)
    if known is None:
        return completed((cost,))[0]
    return completed_by(cost, known.knobs, known.lowest)


def _doubts(
    profile: Profile, results: Iterable[Judgement], max_age: float | None
) -> tuple[Notice, ...]:
    """What speaks against the profile: its age, and libraries that have changed since."""
    labels = {f"{row.hasher}@{row.implementation}" for row in results if row.implementation}
    return outdated(profile, current_host().date(), max_age, installed_versions(sorted(labels)))
