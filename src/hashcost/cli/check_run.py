"""What ``check`` and ``scan`` share: options, what costs are held to, how the result is told."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

import click

from hashcost.cli.inputs import policies_named, profile_named
from hashcost.cli.options import (
    AGE,
    DURATION,
    FILE,
    SHARE,
    Read,
    profile_option,
    result_options,
    with_options,
)
from hashcost.cli.output import Output, append_summary
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import InconclusiveError, UnavailableError, UsageError
from hashcost.core.machine import TOOL, Notice
from hashcost.core.profile import Profile
from hashcost.core.text import path_name, quoted
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target
from hashcost.documents.settings import Settings, find_settings, load_settings
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import Host
from hashcost.render import FORMATS
from hashcost.render.commands.check import severity_of
from hashcost.render.document import Document, Severity
from hashcost.verdicts.check import check_all, measurement_for
from hashcost.verdicts.judgement import (
    DEFAULT_TOLERANCE,
    FAILING,
    REPORT_SCHEMA_VERSION,
    CheckReport,
    Configured,
    Judgement,
    Outcome,
    Standard,
)
from hashcost.verdicts.legal_costs import completed, completed_by, installed_versions, run_by
from hashcost.verdicts.profile_age import outdated

_FAILED = 1
_WORST = (0, InconclusiveError.exit_code, UnavailableError.exit_code, _FAILED)
"""The codes of a check, from the one that every other goes before."""
_DEFAULT_POLICIES = ("owasp",)
_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Where GitHub and GitLab say that they have put the repository."""


class CheckOptions(TypedDict):
    """The options of `check_options`, as they are given."""

    target: float | None
    profile: Path | None
    max_age: float | None
    policy: tuple[str, ...]
    longest: float | None
    tolerance: float | None
    config: Path | None
    warn_only: bool
    on_inconclusive: str | None
    on_unknown: str | None
    over_budget: str | None
    reports: tuple[tuple[str, Path], ...]
    out: Output


def _report(text: str) -> tuple[str, Path]:
    """Read ``FORMAT=FILE``."""
    form, _, path = text.partition("=")
    if form not in FORMATS or not path:
        raise UsageError(
            f"{quoted(text, 24)} is not FORMAT=FILE; write for example sarif=check.sarif;"
            f" FORMAT is"
            f" one of {', '.join(FORMATS)}"
        )
    return form, Path(path)


check_options: Final = with_options(
    click.option(
        *("-t", "--target"),
        type=DURATION,
        help="Time that one hash may take.  [default: that of the profile, else 250ms]",
    ),
    profile_option(
        "Judge by this saved profile: times nothing and gives the same answer everywhere."
    ),
    click.option(
        "--max-age", type=AGE, help="Warn when the profile is older than this, for example 90d."
    ),
    click.option(
        "--policy",
        multiple=True,
        metavar="NAME|FILE",
        help="Policy whose minimums must be met, or `none`; repeatable.  [default: owasp]",
    ),
    click.option("--max", "longest", type=DURATION, help="Fail when one hash takes longer."),
    click.option(
        "--tolerance",
        type=SHARE,
        help="How far below or above the target is still fine.  [default: 20%]",
    ),
    click.option("--config", type=FILE, metavar="FILE", help="Read the settings from this file."),
    click.option("--warn-only", is_flag=True, help="Always end with 0."),
    click.option(
        "--on-inconclusive",
        type=click.Choice(["pass", "fail"]),
        help="What an inconclusive check ends with: 0 or 1 instead of 3.",
    ),
    click.option(
        "--on-unknown",
        type=click.Choice(["pass", "fail"]),
        help="What an unknown cost ends with: 0 or 1.  [default: fail; of a scan: pass]",
    ),
    click.option(
        "--over-budget",
        type=click.Choice(["pass", "fail"]),
        help="End with 0 or 1 when one hash takes longer than the target, by more than the"
        " tolerance.  [default: pass]",
    ),
    click.option(
        "--report",
        "reports",
        type=Read("report", _report),
        multiple=True,
        metavar="FORMAT=FILE",
        help="Also write the result to FILE in another format; repeatable.",
    ),
    result_options(*FORMATS, quiet="No progress and no advice."),
)
"""The options that say what costs are held to, and where the result goes."""


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """One run: what it holds costs to, by what profile if any, and where its result goes."""

    given: CheckOptions
    settings: Settings
    standard: Standard
    profile: Profile | None
    host: Host
    pool: tuple[Candidate, ...]
    """What can be timed."""

    def severity(self, row: Judgement, on_unknown: str) -> Severity:
        """How much a judgement matters; what a place does not tell may ``pass`` or ``fail``."""
        failing = Severity.WARNING if self.given["warn_only"] else Severity.ERROR
        unsure = {"pass": Severity.NOTE, "fail": failing}
        untold = Severity.NOTE if self._on_unknown(on_unknown) == "pass" else failing
        return severity_of(
            row,
            failing=failing,
            inconclusive=unsure.get(self._on_inconclusive or "", Severity.WARNING),
            unknown=untold,
        )

    def code(self, results: Iterable[Judgement], on_unknown: str) -> int:
        """The code that the judgements of one kind of place end the check with."""
        if self.given["warn_only"]:
            return 0
        return exit_code(results, self._on_inconclusive, self._on_unknown(on_unknown))

    def _on_unknown(self, usual: str) -> str:
        return self.given["on_unknown"] or self.settings.on_unknown or usual

    @property
    def _on_inconclusive(self) -> str | None:
        return self.given["on_inconclusive"] or self.settings.on_inconclusive

    def completed(self, costs: Sequence[Configured]) -> tuple[Configured, ...]:
        """The costs with every param: as the profile has them, or the libraries that are here.

        An application's own library judges it where it was timed in its runtime, or is to be.
        """
        costs = [run_by(cost, self._timed_elsewhere) for cost in costs]
        if self.profile is None:
            return completed(costs, self.pool)
        known = [(cost, measurement_for(cost, self.profile)) for cost in costs]
        return tuple(
            completed((cost,), self.pool)[0]
            if row is None
            else completed_by(cost, row.knobs, row.lowest)
            for cost, row in known
        )

    @property
    def _timed_elsewhere(self) -> set[str]:
        """The rows of the profile, or what can be timed now in other runtimes."""
        if self.profile is None:
            return {each.label for each in self.pool if each.runtime}
        return {row.label for row in self.profile.recommendations}

    def check(
        self, costs: Sequence[Configured]
    ) -> tuple[Profile | None, tuple[Judgement, ...], tuple[Notice, ...]]:
        """What was measured, a judgement for each cost, and what speaks against them."""
        if not costs and self.profile is None:
            return None, (), ()
        if self.profile is not None:
            results = check_all(costs, self.profile, self.standard)
            max_age = self.given["max_age"] or self.settings.max_age
            labels = {
                f"{row.hasher}@{row.implementation}" for row in results if row.implementation
            }
            installed = installed_versions(sorted(labels), self.pool)
            notices = outdated(self.profile, self.host.date(), max_age, installed)
            return self.profile, results, notices
        # A profile answers without what measures.
        from hashcost.verdicts.live_check import check_live

        with progress_bar(quiet=self.given["out"].quiet) as report:
            measured, results = check_live(
                costs,
                self.standard,
                progress=report,
                host=self.host,
                pool=self.pool,
            )
        return measured, results, measured.warnings

    def report(
        self,
        measured: Profile | None,
        results: tuple[Judgement, ...],
        notices: tuple[Notice, ...],
    ) -> CheckReport:
        """What to say of the judgements, by what was measured if anything was."""
        host = self.host
        return CheckReport(
            schema=REPORT_SCHEMA_VERSION,
            tool=TOOL,
            live=self.profile is None,
            measured=host.date() if measured is None else measured.created,
            machine=host.describe() if measured is None else measured.machine,
            target_seconds=self.standard.target_seconds,
            tolerance=self.standard.tolerance,
            longest_seconds=self.standard.longest_seconds,
            results=results,
            warnings=notices,
        )

    def write(self, document: Document, notices: Sequence[Notice]) -> None:
        """Write advice, then the result, and its reports in other forms."""
        self.given["out"].warn(notices)
        self.given["out"].write(document)
        for form, path in self.given["reports"]:
            Output(form, path, quiet=True).write(document)

    def end(self, document: Document, codes: Iterable[int], notices: Sequence[Notice]) -> int:
        """Add the result to the summary of a CI job, and return the worst code."""
        append_summary(document, notices)
        return max(codes, key=_WORST.index, default=0)


def begin(
    given: CheckOptions,
    settings: Settings,
    host: Host,
    pool: tuple[Candidate, ...],
    *files: Path,
) -> CheckRun:
    """Read the profile and see whether every output can be written, before any work is done.

    Options override the settings. ``files`` are read as well.
    """
    profile = given["profile"] or settings.profile
    reports = [path for _, path in given["reports"]]
    given["out"].check(profile, settings.path, *files, report=reports)
    append_summary()
    if given["max_age"] is not None and profile is None:
        raise click.UsageError("--max-age is the age of a profile; add --profile FILE")
    option = _named("profile", given["profile"], settings)
    known = None if profile is None else profile_named(option, profile)
    return CheckRun(
        given=given,
        settings=settings,
        standard=_standard(given, settings, known),
        profile=known,
        host=host,
        pool=pool,
    )


def exit_code(
    results: Iterable[Judgement], on_inconclusive: str | None, on_unknown: str = "fail"
) -> int:
    """The code that a check ends with: a failure goes before what could not be told."""
    found = {row.outcome for row in results}
    if found & FAILING or (Outcome.UNKNOWN in found and on_unknown == "fail"):
        return _FAILED
    if Outcome.UNAVAILABLE in found:
        return UnavailableError.exit_code
    if Outcome.INCONCLUSIVE in found:
        codes = {"pass": 0, "fail": _FAILED}
        return codes.get(on_inconclusive or "", InconclusiveError.exit_code)
    return 0


def shown(path: Path) -> str:
    """The path from the repository's top where CI tells it, or else from the present folder."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    tops = [os.environ.get(name, "") for name in _ROOTS]
    for root in filter(None, (*tops, str(Path.cwd()))):
        if whole.is_relative_to(root):
            return path_name(whole.relative_to(root).as_posix())
    return path_name(path.as_posix())


def settings_for(config: Path | None) -> Settings:
    """The settings in a file, or else those of the nearest folder that has some."""
    if config is None:
        return find_settings(Path.cwd()) or Settings(path=Path())
    found = load_settings(config)
    if found is None:
        raise click.UsageError(f"--config: {config} has no [tool.hashcost] table; add one")
    return found


def _standard(given: CheckOptions, settings: Settings, profile: Profile | None) -> Standard:
    """What the costs are held to, by the options, else by the settings, else by the profile."""
    usual = DEFAULT_TARGET_SECONDS if profile is None else profile.target_seconds
    target = given["target"] or settings.target or usual
    check_target(target, name=_named("target", given["target"], settings))
    longest = given["longest"] or settings.max
    if longest is not None and longest < target:
        name = _named("max", given["longest"], settings)
        raise click.UsageError(f"{name}: must be at least the target")
    tolerance = settings.tolerance if given["tolerance"] is None else given["tolerance"]
    tolerance = DEFAULT_TOLERANCE if tolerance is None else tolerance
    if (given["over_budget"] or settings.over_budget) == "fail":
        allowed = target * (1 + tolerance)
        longest = allowed if longest is None else min(longest, allowed)
    return Standard(
        target_seconds=target,
        policies=policies_named(
            given["policy"] or settings.policy or _DEFAULT_POLICIES,
            name=_named("policy", given["policy"], settings),
        ),
        tolerance=tolerance,
        longest_seconds=longest,
    )


def _named(key: str, given: object, settings: Settings) -> str:
    """What the user wrote a value for: the option, or the key of the file of settings."""
    written = getattr(settings, key) is not None and not given
    return f"{settings.path}: {key}" if written else f"--{key}"
