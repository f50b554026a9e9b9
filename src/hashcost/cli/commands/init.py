"""``calibrate init``: settings, a profile and the CI step for the project of a folder."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import click
from msgspec import structs

from hashcost.apps.registry import timed_in_place
from hashcost.checks.judgement import Configured
from hashcost.checks.judging import completed
from hashcost.checks.live_check import extra_costs_of
from hashcost.checks.project_files import ProjectFiles, project_in
from hashcost.cli.inputs import profile_named, save_into, saved_before
from hashcost.cli.options import FILE, GroupedCommand, target_option
from hashcost.cli.output import Output, write_text
from hashcost.core.errors import (
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
from hashcost.measure.request import Request
from hashcost.recommend.calibration import calibrate
from hashcost.recommend.recommendation import recommended_row
from hashcost.recommend.saved import merged
from hashcost.render.ci_steps import COMMIT, FILES, INCLUDED, OWNER, ci_step
from hashcost.render.wording import counted, gathered, named, processors
from hashcost.source_code.parsed.fields import check_installed
from hashcost.source_code.scan import scan
from hashcost.storage.files import check_writable, rewrite, write_whole
from hashcost.storage.gate import Gate
from hashcost.storage.settings import OWN_FILE, Settings, find_settings, settings_text
from hashcost.strength.policies.catalogue import load_policy

_BUDGET_SECONDS = 16.0
"""For all hashes; what comes before them takes a few seconds more on a busy machine."""
_LANES_SECONDS = 2.0
"""Share of these seconds for each hasher that is measured again with other lanes."""
_NAMED_HASHERS = 3
"""Uncertain hashers that are named; more are counted."""
_REPOSITORY = re.compile(r"(?:https://github\.com/|git@github\.com:)([\w-]+)/hashcost(?:\.git)?/?")
_FROM_GITLAB = re.compile(r"^[ \t]*+url[ \t]*+=.*\bgitlab\b", re.MULTILINE)
"""The address that a repository is fetched from, which tells its host."""
_STDOUT = "-"


@click.command(cls=GroupedCommand)
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
def init(target: float | None, save: Path, ci: str | None, force: bool, out: Output) -> None:
    """Set up a project: write hashcost.toml and the CI step, measure and save a profile.

    It finds application files and source code in the current directory, measures for at most
    20 seconds, and changes no existing file. Example:
    calibrate init --ci github
    """
    gate = Gate()
    host = this_host()
    plan = _plan(target, save, ci, gate, force=force)
    _check(plan, host)

    written, remarks, doubts = [], [], []
    project = None
    costs: list[Configured] = []
    if plan.writes or plan.measures:
        project = project_in(Path(), gate)
        costs, folders = _with_sources(project, gate, out)
        if plan.writes:
            remarks += _write_settings(plan, project.apps, folders, host, gate)
            written.append(OWN_FILE)
    if plan.workflow is not None:
        plan.workflow.parent.mkdir(parents=True, exist_ok=True)
        write_whole(plan.workflow, plan.step.encode(), typed=False)
        remarks.append(f"{plan.workflow}: runs `calibrate check` on every push.")
        written.append(plan.workflow.as_posix())
    elif ci == _STDOUT:
        write_text(plan.step, None)
    if plan.measures:
        profile = _measured(plan.seconds, costs, host, out)
        # A remark of its own says so.
        save_into(profile, plan.profile, Output(quiet=True), typed=False)
        name = path_name(plan.profile)
        written.append(name)
        remarks.append(f"{name}: {_measured_in_words(profile)}.")
        doubts = _doubtful(profile)
    if not remarks and plan.settings is not None:
        there = path_name(plan.settings.path)
        remarks.append(f"{there} is there already and unchanged; --force makes it anew.")
    out.remark([*remarks, _next(plan, written, doubts)])
    if project is not None and project.is_cut_short:
        # The costs of what was not read may be weak.
        raise ResultError(f"not every file was read, so {OWN_FILE} may lack some", 1)


@dataclass(frozen=True, kw_only=True)
class InitPlan:
    """The work that there is to do."""

    settings: Settings | None
    """`None` before the first run in the folder."""
    seconds: float
    """The target."""
    profile: Path
    writes: bool
    """Whether to write the settings."""
    measures: bool
    step: str
    """The text of the CI step."""
    workflow: Path | None
    """Where to write the step."""
    is_below: bool
    """Whether the folder is inside of a repository."""


def _plan(
    target: float | None, save: Path, ci: str | None, gate: Gate, *, force: bool
) -> InitPlan:
    """Find out what is missing or is made anew."""
    with gate.timed("the settings"):
        settings = find_settings(Path())
    # The repository tells which CI it has, unless somebody says so.
    system = ci
    if system is None or system == _STDOUT:
        system = _system(Path(), gate)
    # CI runs what is at the top of a repository.
    has_top = Path(".git").exists()
    is_below = not has_top and any((folder / ".git").exists() for folder in Path.cwd().parents)
    workflow = None
    if not is_below and ci != _STDOUT:
        workflow = _new_workflow(system, gate)
    writes = measures = force
    profile = save
    if settings is None:
        writes = True
        measures = measures or not profile.is_file()
    else:
        target = target or settings.target
        # Other files may hold more than these settings.
        writes = writes and settings.path.name == OWN_FILE
        if settings.profile is not None:
            profile = settings.profile
            measures = measures or not profile.is_file()
    return InitPlan(
        settings=settings,
        seconds=target or DEFAULT_TARGET_SECONDS,
        profile=profile,
        writes=writes,
        measures=measures,
        step=ci_step(system, *_origin()),
        workflow=workflow,
        is_below=is_below,
    )


def _check(plan: InitPlan, host: Host) -> None:
    """Refuse what cannot be written, or must not be, before any work is done."""
    if plan.writes:
        check_writable(Path(OWN_FILE), typed=False)
    if plan.workflow is not None:
        _check_inside(plan.workflow, Path())
    source, folder = "--save", plan.profile.parent
    if plan.settings is not None:
        source = f"{plan.settings.path}: profile"
        if plan.settings.profile is not None:
            folder = plan.settings.folder
    if plan.measures:
        _check_inside(plan.profile, folder)
        check_writable(plan.profile, typed=False)
        # A profile of another machine is refused before the work.
        saved_before(plan.profile, host.describe(), None)
    elif plan.profile.is_file():
        profile_named(source, plan.profile, host)


def _with_sources(
    project: ProjectFiles, gate: Gate, out: Output
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
            with out.progress() as progress:
                scanned = scan([*map(Path, folders)], gate=gate, progress=progress)
            used = [cost for cost in scanned.costs if not cost.in_tests]
            costs += [Configured(hasher=cost.hasher, params=cost.params) for cost in used]
    except UnavailableError as error:
        listed = ", ".join(f'"{folder}"' for folder in folders)
        left_out.append(
            f"Source code is left out: {error}, then add scan = [{listed}] to {OWN_FILE}."
        )
        folders = ()
    out.remark(left_out)
    return costs, folders


def _next(plan: InitPlan, written: Sequence[str], doubts: Sequence[str]) -> str:
    """Say what is left to do, in one sentence."""
    todo = []
    if plan.workflow is not None and OWNER in plan.step:
        todo.append(f"put the {OWNER} and {COMMIT} of hashcost into the CI step")
    if plan.is_below:
        todo.append("put `calibrate check` into the CI of the repository, whose top is above")
    if written:
        todo.append(f"commit {format_list(written)}")
    else:
        todo.append("run `calibrate check`")
    if INCLUDED in written:
        todo.append(f"add `include: {INCLUDED}` to {FILES['gitlab']}")
    if doubts:
        uncertain = doubts
        if len(doubts) > _NAMED_HASHERS:
            uncertain = [f"{len(doubts)} hashers"]
        todo.append(
            "measure again when the machine is quieter with `calibrate init --force`, since"
            f" {format_list(uncertain)} could not be timed within ±25 %"
        )
    return f"Next: {format_list(todo)}."


def _left_out(unread: Mapping[str, str]) -> Iterator[str]:
    """Say which files are left out and why, a line for each reason."""
    for why, files in gathered((why, file) for file, why in unread.items()).items():
        verb = "is" if len(files) == 1 else "are"
        yield f"{named(files)} {verb} left out: {why}."


def _measured(seconds: float, costs: Iterable[Configured], host: Host, out: Output) -> Profile:
    """Measure the usual hashers and what the costs need, with their memory and lanes."""
    legal = []
    # Costs alike are timed once.
    for cost in {(cost.label, *cost.params.items()): cost for cost in costs}.values():
        with contextlib.suppress(UsageError):  # What no hasher takes is for `check` to say.
            legal.append(completed(structs.replace(cost, place=None), None, candidates()))
    by_lanes = gathered((cost.params.get("parallelism", 1), cost.label) for cost in legal)
    by_lanes.pop(1, None)
    others = sum(map(len, by_lanes.values()))
    for_lanes = _LANES_SECONDS * others
    request = Request(
        target_seconds=seconds,
        policies=(load_policy("owasp"),),
        extra_costs=extra_costs_of(legal),
        # The usual hashers keep half of the time, however many have other lanes.
        budget_seconds=max(_BUDGET_SECONDS - for_lanes, _BUDGET_SECONDS / 2),
        also=timed_in_place(),
    )
    with out.progress() as progress:
        profile = calibrate(request, host=host, progress=progress)
        for lanes, labels in sorted(by_lanes.items()):
            more = replace(
                request,
                also=(),
                hashers=labels,
                parallelism=lanes,
                budget_seconds=_LANES_SECONDS * len(labels),
            )
            profile = merged(profile, calibrate(more, host=host, progress=progress))
    if not profile.recommendations:
        recommended_row(profile.results[0])  # That says why there is none.
    return profile


def _measured_in_words(profile: Profile) -> str:
    rows = counted(len(profile.measurements), "implementation", "implementations")
    seconds = format_duration(profile.duration_seconds)
    return f"{rows}, measured in {seconds} on {processors(profile.machine)}"


def _doubtful(profile: Profile) -> list[str]:
    """The hashers that were too noisy or measured too little; missing ones do not count."""
    hashers = [row.hasher for row in profile.recommendations if is_too_noisy(row)]
    hashers += [row.hasher for row in profile.failures if row.code == InconclusiveError.code]
    return hashers


def _check_inside(path: Path, folder: Path) -> None:
    """Refuse a path that the project's settings or links lead out of it."""
    if path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            f"{path_name(path)} is a link, or outside of {path_name(folder.resolve())}; nothing"
            " is written there; change it by hand"
        )


def _write_settings(
    plan: InitPlan,
    apps: Mapping[str, Sequence[str]],
    folders: Sequence[str],
    host: Host,
    gate: Gate,
) -> list[str]:
    """Write the settings, and say what they check."""
    path = Path(OWN_FILE)
    text = settings_text(
        target=format_duration(plan.seconds).replace(" ", ""),
        profile=plan.profile.as_posix(),
        apps=apps,
        scan=folders,
    )
    content = text.encode()
    remarks = []
    before = content
    if path.is_file():
        before = gate.read(path)
    if before == content:
        write_whole(path, content, typed=False)
    else:
        backup = rewrite(path, before, content, host.state, typed=False)
        remarks.append(f"{OWN_FILE} as it was is {path_name(backup)}.")
    checked = [f"{name} ({', '.join(files)})" for name, files in apps.items()]
    if folders == (".",):
        checked.append("source code here")
    elif folders:
        checked.append(f"source code in {format_list(folders)}")
    if checked:
        remarks.append(f"{OWN_FILE}: checks {format_list(checked)}.")
    else:
        remarks.append(
            f"{OWN_FILE}: nothing to check was found; list your costs, as in"
            ' check = ["bcrypt=12"].'
        )
    return remarks


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
    if _FROM_GITLAB.search(config):
        return "gitlab"
    return "github"


def _new_workflow(system: str, gate: Gate) -> Path | None:
    """The file to write a system's step into; `None` if it is there already."""
    path = Path(FILES[system])
    # GitLab has one file for all steps, which may include another.
    if system == "gitlab" and path.is_file() and b"calibrate check" not in gate.read(path):
        path = Path(INCLUDED)
    if path.exists():
        return None
    return path


def _origin() -> tuple[str, str]:
    """The owner of the repository and the commit that this program was installed from."""
    direct = {}
    with contextlib.suppress(PackageNotFoundError, ValueError):
        direct = json.loads(distribution(TOOL.name).read_text("direct_url.json") or "{}")
    url = str(direct.get("url", ""))
    commit = direct.get("vcs_info", {}).get("commit_id")
    # Who installs a clone by its folder has the commit in the clone only.
    if url.startswith("file:") and not commit:
        clone = Path(url2pathname(urlsplit(url).path))
        url, commit = _git(clone, "remote", "get-url", "origin"), _git(clone, "rev-parse", "HEAD")
    match = _REPOSITORY.fullmatch(url)
    if match is None or not commit:
        return OWNER, COMMIT
    return match[1], str(commit)


def _git(clone: Path, *command: str) -> str:
    """Ask git about a clone of this program; return an empty text if it cannot tell."""
    asked = ("git", "-C", str(clone), *command)
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(  # noqa: S603 (no part of the command is the user's)
            asked, env=child_environment(), capture_output=True, text=True, check=True
        ).stdout.strip()
    return ""
