"""``calibrate init``: settings, a profile and the CI step for the project of a folder."""

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click
import msgspec

from hashcost.apps.registry import timed_in_place
from hashcost.cli.elsewhere import given_host
from hashcost.cli.files.finding import Project, project_in
from hashcost.cli.files.saving import save_into, saved_before
from hashcost.cli.inputs import profile_named
from hashcost.cli.options import FILE, target_option
from hashcost.cli.output import check_outputs, exit_code, write_notices, write_remarks, write_text
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import InconclusiveError, UnavailableError, UsageError
from hashcost.core.machine import TOOL
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.progress import Progress
from hashcost.core.text import path_name
from hashcost.core.units import DEFAULT_TARGET_SECONDS, format_duration, format_list
from hashcost.documents.files import check_writable, read_limited, write_whole
from hashcost.documents.settings import OWN_FILE, SHARED_FILE, Settings, load_settings
from hashcost.documents.settings_text import settings_text
from hashcost.hashers.registry import candidates
from hashcost.machine.host import Host
from hashcost.recommend.calibration import calibrate
from hashcost.recommend.one_hasher import recommended_row
from hashcost.recommend.saved import labels_in, merged, rows_named
from hashcost.render.ci_steps import COMMIT, FILES, OWNER, ci_step
from hashcost.render.wording import counted, processors
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.scan import scan
from hashcost.verdicts.judgement import Configured
from hashcost.verdicts.legal_costs import completed
from hashcost.verdicts.live_check import visits_of
from hashcost.worth.policies.catalogue import load_policy

_BACKUP = Path(f"{OWN_FILE}.bak")
_LARGEST_SETTINGS = 1 << 20
_REPOSITORY = re.compile(r"https://github\.com/(?P<owner>[\w-]+)/hashcost(?:\.git)?/?")


@click.command
@target_option(
    "Time that one hash may take.  [default: that of hashcost.toml if it is there, else 250ms]"
)
@click.option(
    "--save",
    type=FILE,
    metavar="PROFILE",
    default="hashcost.json",
    show_default=True,
    help="Where to keep what is measured, unless hashcost.toml says so.",
)
@click.option(
    "--ci",
    type=click.Choice(list(FILES)),
    help="Whose CI step to print.  [default: by what the repository has]",
)
@click.option(
    "--force",
    is_flag=True,
    help="Measure again, and write hashcost.toml anew; the old one becomes hashcost.toml.bak.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress, and nothing but the CI step.")
def init(target: float | None, save: Path, ci: str | None, force: bool, quiet: bool) -> int:
    """Set up a project: write hashcost.toml, measure and save a profile, print the CI step.

    It finds application files and source code in the current directory. It changes no
    existing file, and writes nothing if the machine is too noisy. Example:
    calibrate init > .github/workflows/password-hash-cost.yml
    """
    known = _settings_here()
    writes = known is None or (force and known.path.name == OWN_FILE)
    profile = save if known is None or known.profile is None else known.profile
    measures = force or (not profile.is_file() and (known is None or known.profile is not None))
    seconds = target or (known.target if known else None) or DEFAULT_TARGET_SECONDS
    check_outputs(**({"save": profile} if measures else {}))
    if writes:
        check_writable(Path(OWN_FILE))
    if not measures and profile.is_file():
        profile_named("--save" if known is None else f"{known.path}: profile", profile)
    told = []
    if writes or measures:
        project, costs, missing = _found(Path(), quiet=quiet)
        if measures:
            told.append(_measure(profile, seconds, costs, host=given_host(), quiet=quiet))
        if writes:
            told.append(_write(project, seconds, profile))
        told += missing
    system = ci or _system(Path())
    owner, commit = _origin()
    write_text(ci_step(system, owner, commit), None)
    if not quiet:
        told = told or [_unchanged(known, profile)]
        write_remarks(["", *told, *_next(system, owner, profile)])
    return 0


def _settings_here() -> Settings | None:
    """The settings that stand in this very folder."""
    for name in (OWN_FILE, SHARED_FILE):
        path = Path(name)
        found = load_settings(path) if path.is_file() else None
        if found is not None:
            return found
    return None


def _found(folder: Path, *, quiet: bool) -> tuple[Project, list[Configured], list[str]]:
    """What the folder has to check, its costs, and what is to be said of what is left out."""
    project = project_in(folder)
    costs = [*project.costs]
    left = [f"{path_name(path)} is not looked at: {why}." for path, why in project.unread.items()]
    if not project.scan:
        return project, costs, left
    try:
        check_installed()
    except UnavailableError as error:
        listed = ", ".join(f'"{each}"' for each in project.scan)
        told = f"Source code is left out: {error}, then add scan = [{listed}] to {OWN_FILE}."
        return replace(project, scan=()), costs, [*left, told]
    with progress_bar(quiet=quiet) as progress:
        scanned = scan([folder / each for each in project.scan], progress=progress)
    costs += (
        Configured(hasher=each.hasher, implementation=None, params=each.params)
        for each in scanned.costs
        if not each.in_tests
    )
    return project, costs, left


def _measure(
    path: Path, seconds: float, costs: Sequence[Configured], *, host: Host, quiet: bool
) -> str:
    """Measure the usual hashers and what the costs need, save that, and say so.

    Raises:
        InconclusiveError: it is too noisy to be relied upon; nothing is saved.
    """
    saved_before(path, host.describe(), None)
    with progress_bar(quiet=quiet) as report:
        profile = measured_for(seconds, list(_legal(costs)), host=host, progress=report)
    if not profile.recommendations:
        recommended_row(profile.results[0])  # That says why there is none.
    if _is_noisy(profile):
        if not quiet:
            write_notices(profile)
        raise InconclusiveError(
            "nothing is written: what was measured is too noisy to be committed; run"
            " `calibrate init` again when the machine is quieter"
        )
    save_into(profile, path, lambda whole: whole, quiet=True)
    took = format_duration(profile.duration_seconds)
    rows = counted(len(profile.measurements), "implementation", "implementations")
    return f"{path_name(path)}: {rows}, measured in {took} on {processors(profile.machine)}."


def _is_noisy(profile: Profile) -> bool:
    """Whether anything that was measured is not known well enough; what cannot be had is not."""
    rows = (row for label in labels_in(profile) for row in rows_named(profile, label))
    doubtful = tuple(
        row
        for row in rows
        if isinstance(row, Recommendation) or row.code == InconclusiveError.code
    )
    return bool(exit_code(msgspec.structs.replace(profile, results=doubtful), named=False))


def _legal(costs: Sequence[Configured]) -> Iterator[Configured]:
    """Each cost once, with every param; what no hasher takes is for `check` to say."""
    for cost in {(cost.label, *cost.params.items()): cost for cost in costs}.values():
        with contextlib.suppress(UsageError):
            yield completed(msgspec.structs.replace(cost, place=None), None, candidates())


def measured_for(
    seconds: float,
    costs: Sequence[Configured],
    *,
    host: Host,
    progress: Progress | None = None,
) -> Profile:
    """A profile of the usual hashers that judges these costs too, with their memory and lanes."""
    run = partial(
        calibrate,
        seconds,
        policies=(load_policy("owasp"),),
        visits=visits_of(costs),
        host=host,
        progress=progress,
    )
    profile = run(also=timed_in_place())
    lanes = sorted({cost.params.get("parallelism", 1) for cost in costs} - {1})
    for count in lanes:
        labels = [cost.label for cost in costs if cost.params.get("parallelism") == count]
        profile = merged(profile, run(labels, parallelism=count))
    return profile


def _write(project: Project, seconds: float, profile: Path) -> str:
    """Write hashcost.toml, and say what it has."""
    path = Path(OWN_FILE)
    text = settings_text(
        target=format_duration(seconds).replace(" ", ""),
        profile=profile.as_posix(),
        apps=project.apps,
        scan=project.scan,
    )
    if path.is_file() and (before := read_limited(path, _LARGEST_SETTINGS)) != text.encode():
        write_whole(_BACKUP, before)
    write_whole(path, text.encode())
    found = [f"{name} ({', '.join(files)})" for name, files in project.apps.items()]
    if project.scan:
        top = project.scan == (".",)
        found.append(f"source code {'here' if top else 'in ' + format_list(project.scan)}")
    if not found:
        example = 'check = ["bcrypt=12"]'
        return f"{OWN_FILE}: nothing to check was found; list your costs, as in {example}."
    return f"{OWN_FILE}: checks {format_list(found)}."


def _system(folder: Path) -> str:
    """The CI system that a repository is for; GitHub's where nothing tells."""
    if (folder / ".github").is_dir():
        return "github"
    if (folder / ".gitlab-ci.yml").is_file():
        return "gitlab"
    try:
        config = (folder / ".git" / "config").read_text("utf-8", errors="replace")
    except OSError:
        return "github"
    return "gitlab" if re.search(r"url\s*=.*\bgitlab\b", config) else "github"


def _origin() -> tuple[str, str]:
    """Whose repository, and which commit of it, this program was installed from, if known."""
    try:
        told = json.loads(distribution(TOOL.name).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return OWNER, COMMIT
    match = _REPOSITORY.fullmatch(str(told.get("url", "")))
    commit = told.get("vcs_info", {}).get("commit_id")
    return (match["owner"], str(commit)) if match and commit else (OWNER, COMMIT)


def _unchanged(known: Settings | None, profile: Path) -> str:
    """What is there already, and how it is made anew."""
    settings = OWN_FILE if known is None else path_name(known.path)
    if known is not None and known.profile is None:
        return (
            f"{settings} is there already and unchanged; without a profile, `check` times hashes."
        )
    there = f"{settings} and {path_name(profile)}"
    return f"{there} are there already and unchanged; --force makes them anew."


def _next(system: str, owner: str, profile: Path) -> Iterator[str]:
    """What to do now, a line each."""
    filled = f" with your {OWNER} and {COMMIT}" if owner == OWNER else ""
    yield f"Next: put the above into {FILES[system]}{filled}, and commit all three files."
    yield (
        f"If another machine makes the hashes, remove {path_name(profile)} and run"
        " `calibrate init` there; `calibrate check` says where your costs stand."
    )
