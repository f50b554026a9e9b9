"""``calibrate init``: settings, a profile and the CI step for the project of a folder."""

import contextlib
import dataclasses
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePath
from urllib.parse import urlsplit
from urllib.request import url2pathname

import click
from msgspec.structs import replace

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, timed_in_place
from hashcost.apps.signs import is_own
from hashcost.checks.judgement import Configured, Judgement, Outcome
from hashcost.checks.judging import completed
from hashcost.checks.live_check import visits_of
from hashcost.cli.app_files import costs_within
from hashcost.cli.inputs import profile_named, save_into, saved_before
from hashcost.cli.options import FILE, target_option
from hashcost.cli.output import write_remarks, write_text
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import (
    HashcostError,
    InconclusiveError,
    ResultError,
    UnavailableError,
    UnreadError,
    UsageError,
)
from hashcost.core.machine import TOOL
from hashcost.core.profile import Profile, is_too_noisy
from hashcost.core.text import path_name
from hashcost.core.units import DEFAULT_TARGET_SECONDS, format_duration, format_list
from hashcost.hashers.registry import candidates
from hashcost.machine.environment import child_environment
from hashcost.machine.host import Host, this_host
from hashcost.recommend.calibration import Request, calibrate
from hashcost.recommend.recommendation import recommended_row
from hashcost.recommend.saved import merged
from hashcost.render.ci_steps import COMMIT, FILES, INCLUDED, OWNER, ci_step
from hashcost.render.wording import counted, gathered, named, processors
from hashcost.source_code.files import own_files
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.rules import by_suffix
from hashcost.source_code.scan import scan
from hashcost.storage.files import check_writable, rewrite, write_whole
from hashcost.storage.gate import Gate
from hashcost.storage.settings import OWN_FILE, Settings, find_settings, settings_text
from hashcost.strength.policies.catalogue import load_policy

_MOST_FOLDERS = 8
"""Most files that are listed one by one."""
_MOST_SECONDS = 16.0
"""For all hashes; what comes before them takes a few seconds more on a busy machine."""
_LANES_SECONDS = 2.0
"""Share of these seconds for each hasher that is measured again with other lanes."""
_MOST_NAMED = 3
"""Most uncertain hashers that are named; more are counted."""
_REPOSITORY = re.compile(r"(?:https://github\.com/|git@github\.com:)([\w-]+)/hashcost(?:\.git)?/?")
_GITLAB = re.compile(r"\bgitlab\b")
_STDOUT = "-"


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
    type=click.Choice((*FILES, _STDOUT)),
    help="CI system to write the step for, or `-` to print it.  [default: by the repository]",
)
@click.option(
    "--force",
    is_flag=True,
    help="Measure again, and write hashcost.toml anew, with a backup in the user's state folder.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress, and no word of what was done.")
def init(target: float | None, save: Path, ci: str | None, force: bool, quiet: bool) -> None:
    """Set up a project: write hashcost.toml and the CI step, measure and save a profile.

    It finds application files and source code in the current directory, measures for at most
    20 seconds, and changes no existing file. Example:
    calibrate init --ci github
    """
    gate = Gate()
    settings = _settings_here(gate)
    writes = settings is None or (force and settings.path.name == OWN_FILE)
    path = save if settings is None or settings.profile is None else settings.profile
    measures = force or (not path.is_file() and (settings is None or settings.profile is not None))
    seconds = target or (settings.target if settings else None) or DEFAULT_TARGET_SECONDS
    system = ci if ci in FILES else _system(Path(), gate)
    step = ci_step(system, *_origin())
    is_below = not Path(".git").exists() and any((p / ".git").exists() for p in Path.cwd().parents)
    workflow = None if is_below or ci == _STDOUT else _new_workflow(system, gate)
    if writes:
        check_writable(Path(OWN_FILE), typed=False)
    if workflow is not None:
        _check_inside(workflow, Path())
    host = this_host()
    if measures:
        _check_inside(path, settings.folder if settings and settings.profile else path.parent)
        check_writable(path, typed=False)
        saved_before(path, host.describe(), None)
    elif path.is_file():
        profile_named("--save" if settings is None else f"{settings.path}: profile", path, host)

    written, doubts = [], []
    project = None
    remarks: list[str] = []
    costs: list[Configured] = []
    if writes or measures:
        project = project_in(Path(), gate)
        costs, folders = _with_sources(project, gate, quiet=quiet)
        if writes:
            remarks += _write(project.apps, folders, seconds, path, host, gate)
            written.append(OWN_FILE)
    if workflow is not None:
        remarks.append(_write_step(workflow, step))
        written.append(workflow.as_posix())
    elif ci == _STDOUT:
        write_text(step, None)
    if measures:
        profile = _measured(seconds, costs, host, quiet=quiet)
        save_into(profile, path, lambda whole: whole, quiet=True, typed=False)
        written.append(path_name(path))
        remarks.append(f"{path_name(path)}: {_measured_in_words(profile)}.")
        doubts = _doubtful(profile)
    if not quiet:
        asks_owner = workflow is not None and OWNER in step
        todo = _next(written, doubts, asks_owner=asks_owner, is_below=is_below)
        write_remarks([*(remarks or [_unchanged(settings)]), todo])
    _check_whole(project)


def _unchanged(settings: Settings | None) -> str:
    there = OWN_FILE if settings is None else path_name(settings.path)
    return f"{there} is there already and unchanged; --force makes it anew."


def _settings_here(gate: Gate) -> Settings | None:
    with gate.timed("the settings"):
        return find_settings(Path())


def _check_whole(project: "Project | None") -> None:
    """Let the command fail if a limit kept it from files: their costs may be weak."""
    if project is not None and project.is_cut_short:
        raise ResultError(f"not every file was read, so {OWN_FILE} may lack some", 1)


def _with_sources(
    project: "Project", gate: Gate, *, quiet: bool
) -> tuple[list[Configured], tuple[str, ...]]:
    """The costs of a project with those in its source code, and the folders of that.

    Files that are left out are named here, before the measurement: whoever installs an
    extra for them begins anew.
    """
    costs, folders = [*project.costs], project.scan
    left_out = [*_left_out(project.unread)]
    try:
        if folders:
            check_installed()
            with progress_bar(quiet=quiet) as progress:
                scanned = scan([*map(Path, folders)], gate=gate, progress=progress)
            costs += (
                Configured(hasher=cost.hasher, params=cost.params)
                for cost in scanned.costs
                if not cost.in_tests
            )
    except UnavailableError as error:
        listed = ", ".join(f'"{folder}"' for folder in folders)
        left_out.append(
            f"Source code is left out: {error}, then add scan = [{listed}] to {OWN_FILE}."
        )
        folders = ()
    if not quiet:
        write_remarks(left_out)
    return costs, folders


def _next(
    written: Sequence[str], doubts: Sequence[str], *, asks_owner: bool, is_below: bool
) -> str:
    """Say what is left to do, in one sentence."""
    todo = []
    if asks_owner:
        todo.append(f"put the {OWNER} and {COMMIT} of hashcost into the CI step")
    if is_below:
        todo.append("put `calibrate check` into the CI of the repository, whose top is above")
    if written:
        todo.append(f"commit {format_list(written)}")
    else:
        todo.append("run `calibrate check`")
    if INCLUDED in written:
        todo.append(f"add `include: {INCLUDED}` to {FILES['gitlab']}")
    if doubts:
        uncertain = doubts if len(doubts) <= _MOST_NAMED else [f"{len(doubts)} hashers"]
        todo.append(
            "measure again on a quieter machine with `calibrate init --force`, since"
            f" {format_list(uncertain)} could not be timed within ±25 %"
        )
    return f"Next: {format_list(todo)}."


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
    """Files that need an extra to be read, with what to install, and those that a limit ended."""
    is_cut_short: bool
    """Whether a limit ended the reading of any."""


def project_in(folder: Path, gate: Gate) -> Project:
    """Find the files of a folder to check.

    Raises:
        UnreadableInputError: it cannot be read.
    """
    files: list[tuple[Path, PurePath]] = []
    apps: dict[str, tuple[str, ...]] = {}
    costs: list[Configured] = []
    unread: dict[str, str] = {}
    is_cut_short = False
    try:
        with gate.timed(folder):
            files += own_files(folder, gate)
    except UnreadError as error:
        unread[path_name(folder)] = str(error)
        is_cut_short = True
    for app in (app for app in map(load_app, app_names()) if isinstance(app, App)):
        for path, inside in files:
            if any(inside.match(place) for place in app.places if not place.startswith("/")):
                name = inside.as_posix()
                try:
                    own = _costs_if_own(app, path, gate)
                except UnavailableError as error:
                    unread[name] = str(error)
                    continue
                except UnreadError as error:
                    unread[name] = str(error)
                    is_cut_short = True
                    continue
                if own is not None:
                    apps[app.name] = (*apps.get(app.name, ()), name)
                    costs += own
    sources = [inside.parts for _, inside in files if inside.suffix.lower() in by_suffix()]
    tops = sorted({f"{parts[0]}/" for parts in sources if len(parts) > 1})
    if len(tops) > _MOST_FOLDERS or any(len(parts) == 1 for parts in sources):
        tops = ["."]
    return Project(
        apps=apps, costs=tuple(costs), unread=unread, is_cut_short=is_cut_short, scan=tuple(tops)
    )


def _costs_if_own(app: App, path: Path, gate: Gate) -> list[Configured] | None:
    """The costs in a file; `None` if nothing shows that it is the application's.

    Raises:
        UnreadError: a limit ended the reading.
        UnavailableError: it needs an extra to be read.
    """
    content = gate.read(path)
    try:
        text = content.decode()
        read = costs_within(app, (path,), None, gate)
        with gate.timed(path):
            is_ours = is_own(app.signs, text)
    except (UnavailableError, UnreadError):
        raise
    except (HashcostError, UnicodeDecodeError):
        return None  # Whatever it is: a check of it would end so each time.
    configured = [cost for cost in read if isinstance(cost, Configured)]
    judged = (cost for cost in read if isinstance(cost, Judgement))
    is_unsuitable = any(row.outcome is Outcome.UNSUITABLE for row in judged)
    return configured if configured or is_ours or is_unsuitable else None


def _left_out(unread: Mapping[str, str]) -> Iterator[str]:
    """Say which files are left out and why, a line for each reason."""
    for why, files in gathered((why, file) for file, why in unread.items()).items():
        verb = "is" if len(files) == 1 else "are"
        yield f"{named(files)} {verb} left out: {why}."


def _measured(seconds: float, costs: Iterable[Configured], host: Host, *, quiet: bool) -> Profile:
    """Measure the usual hashers and what the costs need, with their memory and lanes."""
    legal = []
    for cost in {(cost.label, *cost.params.items()): cost for cost in costs}.values():
        with contextlib.suppress(UsageError):  # What no hasher takes is for `check` to say.
            legal.append(completed(replace(cost, place=None), None, candidates()))
    by_lanes = gathered((cost.params.get("parallelism", 1), cost.label) for cost in legal)
    by_lanes.pop(1, None)
    for_lanes = _LANES_SECONDS * sum(map(len, by_lanes.values()))
    with progress_bar(quiet=quiet) as progress:
        request = Request(
            target_seconds=seconds,
            policies=(load_policy("owasp"),),
            visits=visits_of(legal),
            budget_seconds=max(_MOST_SECONDS - for_lanes, _MOST_SECONDS / 2),
            also=timed_in_place(),
        )
        run = partial(calibrate, host=host, progress=progress)
        profile = run(request)
        for lanes, labels in sorted(by_lanes.items()):
            budget = _LANES_SECONDS * len(labels)
            more = dataclasses.replace(
                request, also=(), hashers=labels, parallelism=lanes, budget_seconds=budget
            )
            profile = merged(profile, run(more))
    if not profile.recommendations:
        recommended_row(profile.results[0])  # That says why there is none.
    return profile


def _measured_in_words(profile: Profile) -> str:
    rows = counted(len(profile.measurements), "implementation", "implementations")
    seconds = format_duration(profile.duration_seconds)
    return f"{rows}, measured in {seconds} on {processors(profile.machine)}"


def _doubtful(profile: Profile) -> list[str]:
    """The hashers that were too noisy or measured too little; missing ones do not count."""
    noisy = filter(is_too_noisy, profile.recommendations)
    unmeasured = (row for row in profile.failures if row.code == InconclusiveError.code)
    return [row.hasher for row in (*noisy, *unmeasured)]


def _check_inside(path: Path, folder: Path) -> None:
    """Refuse a path that the project's settings or links lead out of it."""
    if path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            f"{path_name(path)} is a link, or outside of {path_name(folder.resolve())}; nothing"
            " is written there; change it by hand"
        )


def _write(
    apps: Mapping[str, Sequence[str]],
    folders: Sequence[str],
    seconds: float,
    profile: Path,
    host: Host,
    gate: Gate,
) -> Iterator[str]:
    path = Path(OWN_FILE)
    target = format_duration(seconds).replace(" ", "")
    text = settings_text(target=target, profile=profile.as_posix(), apps=apps, scan=folders)
    if path.is_file() and (before := gate.read(path)) != text.encode():
        backup = rewrite(path, before, text.encode(), host.state, typed=False)
        yield f"{OWN_FILE} as it was is {path_name(backup)}."
    else:
        write_whole(path, text.encode(), typed=False)
    checked = [f"{name} ({', '.join(files)})" for name, files in apps.items()]
    if folders:
        where = "here" if folders == (".",) else f"in {format_list(folders)}"
        checked.append(f"source code {where}")
    if not checked:
        example = 'check = ["bcrypt=12"]'
        yield f"{OWN_FILE}: nothing to check was found; list your costs, as in {example}."
    else:
        yield f"{OWN_FILE}: checks {format_list(checked)}."


def _write_step(workflow: Path, step: str) -> str:
    workflow.parent.mkdir(parents=True, exist_ok=True)
    write_whole(workflow, step.encode(), typed=False)
    return f"{workflow}: runs `calibrate check` on every push."


def _system(folder: Path, gate: Gate) -> str:
    """The CI system of a repository; GitHub's if nothing shows another."""
    if (folder / ".github").is_dir():
        return "github"
    if (folder / FILES["gitlab"]).is_file():
        return "gitlab"
    try:
        config = gate.read(folder / ".git" / "config").decode(errors="replace")
    except UnreadError:
        return "github"
    settings = (line.partition("=") for line in config.splitlines())
    addresses = (value for name, _, value in settings if name.strip() == "url")
    return "gitlab" if any(_GITLAB.search(address) for address in addresses) else "github"


def _new_workflow(system: str, gate: Gate) -> Path | None:
    """The file to write a system's step into; `None` if it is there already."""
    path = Path(FILES[system])
    if system == "gitlab" and path.is_file() and b"calibrate check" not in gate.read(path):
        path = Path(INCLUDED)
    return None if path.exists() else path


def _origin() -> tuple[str, str]:
    """The owner of the repository and the commit that this program was installed from."""
    direct = {}
    with contextlib.suppress(PackageNotFoundError, ValueError):
        direct = json.loads(distribution(TOOL.name).read_text("direct_url.json") or "{}")
    url, commit = str(direct.get("url", "")), direct.get("vcs_info", {}).get("commit_id")
    if url.startswith("file:") and not commit:
        clone = Path(url2pathname(urlsplit(url).path))
        url, commit = _git(clone, "remote", "get-url", "origin"), _git(clone, "rev-parse", "HEAD")
    match = _REPOSITORY.fullmatch(url)
    return (match[1], str(commit)) if match and commit else (OWNER, COMMIT)


def _git(clone: Path, *command: str) -> str:
    """Ask git about a clone of this program; return an empty text if it cannot tell."""
    asked = ("git", "-C", str(clone), *command)
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(  # noqa: S603 (no part of the command is the user's)
            asked, env=child_environment(), capture_output=True, text=True, timeout=5, check=True
        ).stdout.strip()
    return ""
