"""What ``check`` and ``scan`` share: what costs are held to, and how the result is told."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hashcost.cli.host import current_host, environment
from hashcost.cli.judging_options import Given
from hashcost.cli.options import on_terminal

if TYPE_CHECKING:
    from hashcost.core.model import Notice, Profile
    from hashcost.documents.settings import Settings
    from hashcost.render.document import Document, Severity
    from hashcost.verdicts.check import Configured, Judgement, Standard

_FAILED = 1
_DEFAULT_POLICIES = ("owasp",)
_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Where GitHub and GitLab say that they have put the repository."""


@dataclass(frozen=True, kw_only=True)
class Judging:
    """One run: what it holds costs to, by what profile if any, and where its result goes."""

    settings: Settings
    standard: Standard
    profile: Profile | None
    max_age: float | None
    on_inconclusive: str | None
    warn_only: bool
    form: str
    output: Path | None
    reports: tuple[tuple[str, Path], ...]
    quiet: bool

    @property
    def live(self) -> bool:
        """Whether costs are timed here."""
        return self.profile is None

    @property
    def failing(self) -> Severity:
        """How much it matters that a cost fails."""
        from hashcost.render.document import Severity

        return Severity.WARNING if self.warn_only else Severity.ERROR

    @property
    def unsure(self) -> Severity:
        """How much it matters that nobody can tell."""
        from hashcost.render.document import Severity

        severities = {"pass": Severity.NOTE, "fail": self.failing}
        return severities.get(self.on_inconclusive or "", Severity.WARNING)

    def completed(self, costs: Sequence[Configured]) -> tuple[Configured, ...]:
        """The costs with every param: as the profile has them, or the libraries that are here."""
        from hashcost.verdicts.full_costs import completed

        if self.profile is None:
            return completed(costs)
        return tuple(_completed_by(self.profile, cost) for cost in costs)

    def judge(
        self, costs: Sequence[Configured]
    ) -> tuple[Profile, tuple[Judgement, ...], tuple[Notice, ...]]:
        """What was measured, a judgement for each cost, and what speaks against them."""
        from hashcost.cli.progress import progress_bar
        from hashcost.verdicts.check import check_all
        from hashcost.verdicts.live_check import check_live

        if self.profile is not None:
            results = check_all(costs, self.profile, self.standard)
            return self.profile, results, _doubts(self.profile, results, self.max_age)
        with progress_bar("timing hashes", shown=not self.quiet and on_terminal()) as report:
            measured, results = check_live(
                costs, self.standard, progress=report, host=current_host()
            )
        return measured, results, measured.warnings

    def write(self, document: Document) -> None:
        """Write the result, and its reports in other forms."""
        from hashcost.cli.output import write_result

        write_result(document, self.form, self.output)
        for form, path in self.reports:
            write_result(document, form, path)

    def end(
        self, document: Document, results: Iterable[Judgement], notices: Sequence[Notice]
    ) -> int:
        """Add the result to the summary of a CI job, give advice, and return the exit code."""
        from hashcost.cli.output import append_summary, write_warnings

        append_summary(document, notices)
        if not self.quiet:
            write_warnings(notices)
        return 0 if self.warn_only else exit_code(results, self.on_inconclusive)


def begin(given: Given, *files: Path, **others: Path | None) -> Judging:
    """Read the settings and the profile, before any work is done.

    What is given goes before what the settings say. ``files`` are what the command
    reads beside, ``others`` the outputs of its own options.

    Raises:
        UsageError: an option or a setting is wrong.
        UnreadableInputError: the settings, a policy or the profile cannot be read.
        UnwritableOutputError: an output could not be written.
    """
    from hashcost.cli.output import append_summary, check_apart, check_outputs
    from hashcost.cli.profiles import profile_named

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
    return Judging(
        settings=settings,
        standard=standard,
        profile=None if profile is None else profile_named(option, profile),
        max_age=given["max_age"] or settings.max_age,
        on_inconclusive=given["on_inconclusive"] or settings.on_inconclusive,
        warn_only=given["warn_only"],
        form=given["form"],
        output=given["output"],
        reports=given["reports"],
        quiet=given["quiet"],
    )


def exit_code(results: Iterable[Judgement], on_inconclusive: str | None) -> int:
    """The code that a check ends with: a failure goes before what could not be told."""
    from hashcost.core.errors import InconclusiveError, UnavailableError
    from hashcost.verdicts.check import FAILING, Outcome

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
    from hashcost.documents.settings import SHARED_FILE, Settings, find_settings, load_settings

    if config is None:
        return find_settings(Path.cwd()) or Settings(path=Path())
    found = load_settings(config)
    if found is None:
        raise click.UsageError(
            f"--config: {config} has no table [tool.hashcost]; {SHARED_FILE} needs one"
        )
    return found


def _standard(given: Given, settings: Settings) -> Standard:
    """What the costs are held to, by the options and else by the settings."""
    from hashcost.cli.worth import policies_named
    from hashcost.core.targets import DEFAULT_TARGET_SECONDS, check_target
    from hashcost.verdicts.check import DEFAULT_TOLERANCE, Standard

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
    from hashcost.verdicts.check import measurement_for
    from hashcost.verdicts.full_costs import completed, completed_by

    known = measurement_for(cost, profile)
    if known is None:
        return completed((cost,))[0]
    return completed_by(cost, known.knobs, known.lowest)


def _doubts(
    profile: Profile, results: Iterable[Judgement], max_age: float | None
) -> tuple[Notice, ...]:
    """What speaks against the profile: its age, and libraries that have changed since."""
    from hashcost.verdicts.check import outdated
    from hashcost.verdicts.full_costs import installed_versions

    labels = {f"{row.hasher}@{row.implementation}" for row in results if row.implementation}
    return outdated(profile, current_host().date(), max_age, installed_versions(sorted(labels)))
