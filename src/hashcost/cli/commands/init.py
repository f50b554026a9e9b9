"""``calibrate init``: settings, a profile and the CI step for the project of a folder."""

import contextlib
import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click
from msgspec.structs import replace

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, timed_in_place
from hashcost.apps.signs import is_own
from hashcost.cli.app_files import app_costs
from hashcost.cli.inputs import profile_named, save_into, saved_before
from hashcost.cli.options import FILE, target_option
from hashcost.cli.output import check_outputs, exit_code, write_notices, write_remarks, write_text
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import HashcostError, InconclusiveError, UnavailableError, UsageError
from hashcost.core.machine import TOOL
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.text import path_name
from hashcost.core.units import DEFAULT_TARGET_SECONDS, format_duration, format_list
from hashcost.documents.files import check_writable, read_limited, write_whole
from hashcost.documents.settings import OWN_FILE, Settings, find_settings, settings_text
from hashcost.hashers.registry import candidates
from hashcost.machine.host import Host, this_host
from hashcost.recommend.calibration import Request, calibrate
from hashcost.recommend.recommendation import recommended_row
from hashcost.recommend.saved import labels_in, merged, rows_named
from hashcost.render.ci_steps import COMMIT, FILES, OWNER, ci_step
from hashcost.render.wording import counted, processors
from hashcost.source_code.files import own_files
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.rules import by_suffix
from hashcost.source_code.scan import scan
from hashcost.verdicts.judgement import Configured, Judgement, Outcome
from hashcost.verdicts.legal_costs import completed
from hashcost.verdicts.live_check import visits_of
from hashcost.worth.policies.catalogue import load_policy

_BACKUP = Path(f"{OWN_FILE}.bak")
_LARGEST_FILE = 1 << 20
_MOST_FOLDERS = 8
"""More of them are not listed one by one."""
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
    settings = find_settings(Path())
    writes = settings is None or (force and settings.path.name == OWN_FILE)
    path = save if settings is None or settings.profile is None else settings.profile
    measures = force or (not path.is_file() and (settings is None or settings.profile is not None))
    seconds = target or (settings.target if settings else None) or DEFAULT_TARGET_SECONDS
    check_outputs(**({"save": path} if measures else {}))
    if writes:
        check_writable(Path(OWN_FILE))
    if not measures and path.is_file():
        profile_named(
            "--save" if settings is None else f"{settings.path}: profile", path, this_host()
        )

    remarks = []
    if writes or measures:
        project = project_in(Path())
        costs, folders = [*project.costs], project.scan
        missing = [
            f"{path_name(file)} is not looked at: {w}." for file, w in project.unread.items()
        ]
        try:
            if folders:
                check_installed()
                with progress_bar(quiet=quiet) as progress:
                    scanned = scan([*map(Path, folders)], progress=progress)
                costs += (
                    Configured(hasher=cost.hasher, implementation=None, params=cost.params)
                    for cost in scanned.costs
                    if not cost.in_tests
                )
        except UnavailableError as error:
            listed = ", ".join(f'"{folder}"' for folder in folders)
            missing.append(
                f"Source code is left out: {error}, then add scan = [{listed}] to {OWN_FILE}."
            )
            folders = ()
        if measures:
            profile = _measured(path, seconds, costs, this_host(), quiet=quiet)
            save_into(profile, path, lambda whole: whole, quiet=True)
            took = format_duration(profile.duration_seconds)
            rows = counted(len(profile.measurements), "implementation", "implementations")
            remarks.append(
                f"{path_name(path)}: {rows}, measured in {took} on {processors(profile.machine)}."
            )
        if writes:
            remarks.append(_write(project.apps, folders, seconds, path))
        remarks += missing

    system = ci or _system(Path())
    owner, commit = _origin()
    write_text(ci_step(system, owner, commit), None)
    if not quiet:
        filled = f" with your {OWNER} and {COMMIT}" if owner == OWNER else ""
        what_now = (
            f"Next: put the above into {FILES[system]}{filled}, and commit all three files.",
            (
                f"If another machine makes the hashes, remove {path_name(path)} and run"
                " `calibrate init` there; `calibrate check` says where your costs stand."
            ),
        )
        write_remarks(["", *(remarks or [_unchanged(settings, path)]), *what_now])
    return 0


@dataclass(frozen=True, kw_only=True)
class Project:
    """The files of a folder to check, with paths inside it."""

    apps: dict[str, tuple[str, ...]]
    """Applications with the files that configure them."""
    costs: tuple[Configured, ...]
    """The costs that these configure."""
    scan: tuple[str, ...]
    """Folders of source code."""
    unread: dict[str, str]
    """Files that nothing here can read, with what to install."""


def project_in(folder: Path) -> Project:
    """Find the files of a folder to check.

    Raises:
        UnreadableInputError: it cannot be read.
    """
    files = list(own_files(folder))
    apps: dict[str, tuple[str, ...]] = {}
    costs: list[Configured] = []
    unread: dict[str, str] = {}
    for app in (app for app in map(load_app, app_names()) if isinstance(app, App)):
        for path, inside in files:
            if any(inside.match(place) for place in app.places if not place.startswith("/")):
                try:
                    if path.stat().st_size > _LARGEST_FILE:
                        continue
                    read = app_costs(app.name, (str(path),), None)
                    is_ours = is_own(app.signs, path.read_text("utf-8"))
                except UnavailableError as error:
                    unread[inside.as_posix()] = str(error)
                    continue
                except (HashcostError, OSError, UnicodeDecodeError):
                    continue  # Whatever it is: a check of it would end so each time.
                configured = [cost for cost in read if isinstance(cost, Configured)]
                judged = (cost for cost in read if isinstance(cost, Judgement))
                if (
                    configured
                    or is_ours
                    or any(row.outcome is Outcome.UNSUITABLE for row in judged)
                ):
                    apps[app.name] = (*apps.get(app.name, ()), inside.as_posix())
                    costs += configured
    sources = [inside.parts for _, inside in files if inside.suffix.lower() in by_suffix()]
    tops = sorted({f"{parts[0]}/" for parts in sources if len(parts) > 1})
    if len(tops) > _MOST_FOLDERS or any(len(parts) == 1 for parts in sources):
        tops = ["."]
    return Project(apps=apps, costs=tuple(costs), unread=unread, scan=tuple(tops))


def _measured(
    path: Path, seconds: float, costs: Iterable[Configured], host: Host, *, quiet: bool
) -> Profile:
    """Measure the usual hashers and what the costs need, with their memory and lanes.

    Raises:
        InconclusiveError: it is too noisy to be relied upon.
    """
    saved_before(path, host.describe(), None)
    legal = []
    for cost in {(cost.label, *cost.params.items()): cost for cost in costs}.values():
        with contextlib.suppress(UsageError):  # What no hasher takes is for `check` to say.
            legal.append(completed(replace(cost, place=None), None, candidates()))
    with progress_bar(quiet=quiet) as progress:
        request = Request(
            target_seconds=seconds, policies=(load_policy("owasp"),), visits=visits_of(legal)
        )
        run = partial(calibrate, host=host, progress=progress)
        profile = run(dataclasses.replace(request, also=timed_in_place()))
        for lanes in sorted({cost.params.get("parallelism", 1) for cost in legal} - {1}):
            labels = [cost.label for cost in legal if cost.params.get("parallelism") == lanes]
            profile = merged(
                profile, run(dataclasses.replace(request, hashers=labels, parallelism=lanes))
            )
    if not profile.recommendations:
        recommended_row(profile.results[0])  # That says why there is none.
    # What cannot be had here is no noise.
    rows = (row for label in labels_in(profile) for row in rows_named(profile, label))
    doubtful = (
        row
        for row in rows
        if isinstance(row, Recommendation) or row.code == InconclusiveError.code
    )
    if exit_code(replace(profile, results=tuple(doubtful)), named=False):
        if not quiet:
            write_notices(profile)
        raise InconclusiveError(
            "nothing is written: what was measured is too noisy to be committed; run"
            " `calibrate init` again when the machine is quieter"
        )
    return profile


def _write(
    apps: Mapping[str, Sequence[str]], folders: Sequence[str], seconds: float, profile: Path
) -> str:
    path = Path(OWN_FILE)
    target = format_duration(seconds).replace(" ", "")
    text = settings_text(target=target, profile=profile.as_posix(), apps=apps, scan=folders)
    if path.is_file() and (before := read_limited(path, _LARGEST_FILE)) != text.encode():
        write_whole(_BACKUP, before)
    write_whole(path, text.encode())
    checked = [f"{name} ({', '.join(files)})" for name, files in apps.items()]
    if folders:
        where = "here" if folders == (".",) else f"in {format_list(folders)}"
        checked.append(f"source code {where}")
    if not checked:
        example = 'check = ["bcrypt=12"]'
        return f"{OWN_FILE}: nothing to check was found; list your costs, as in {example}."
    return f"{OWN_FILE}: checks {format_list(checked)}."


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
    """The owner of the repository and the commit that this program was installed from."""
    try:
        direct = json.loads(distribution(TOOL.name).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return OWNER, COMMIT
    match = _REPOSITORY.fullmatch(str(direct.get("url", "")))
    commit = direct.get("vcs_info", {}).get("commit_id")
    return (match["owner"], str(commit)) if match and commit else (OWNER, COMMIT)


def _unchanged(settings: Settings | None, profile: Path) -> str:
    name = OWN_FILE if settings is None else path_name(settings.path)
    if settings is not None and settings.profile is None:
        return f"{name} is there already and unchanged; without a profile, `check` times hashes."
    both = f"{name} and {path_name(profile)}"
    return f"{both} are there already and unchanged; --force makes them anew."
