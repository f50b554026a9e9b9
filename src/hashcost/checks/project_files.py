"""The files of a project to check: those of applications, and source code."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Final

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.apps.signs import is_own
from hashcost.checks.app_files import costs_of, read_files
from hashcost.checks.judgement import Configured, Judgement, Outcome
from hashcost.core.errors import HashcostError, UnavailableError, UnreadError
from hashcost.core.text import path_name
from hashcost.source_code.files import is_source, own_files
from hashcost.storage.gate import Gate

_LISTED_FOLDERS: Final = 8
"""If there are more, the whole folder is listed."""


@dataclass(kw_only=True)
class ProjectFiles:
    """The files of a folder to check, with paths inside it."""

    apps: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Applications with the files that configure them."""
    costs: list[Configured] = field(default_factory=list)
    """The costs that these configure."""
    scan: tuple[str, ...] = ()
    """Folders of source code."""
    unread: dict[str, str] = field(default_factory=dict)
    """Files that need an extra to be read, with what to install, and those that a limit ended."""
    is_cut_short: bool = False
    """Whether a limit ended the reading of any."""


def project_in(folder: Path, gate: Gate) -> ProjectFiles:
    """Find the files of a folder to check.

    Raises:
        UnreadableInputError: it cannot be read.
    """
    project = ProjectFiles()
    files: list[tuple[Path, PurePath]] = []
    try:
        with gate.timed(folder):
            files += own_files(folder, gate)
    except UnreadError as error:
        project.unread[path_name(folder)] = str(error)
        project.is_cut_short = True
    for name in app_names():
        app = load_app(name)
        if isinstance(app, App):
            _find_files_of(app, files, project, gate)
    sources = [inside for path, inside in files if is_source(path)]
    tops = {inside.parts[0] for inside in sources}
    # What lies in the folder itself is no folder of it.
    if len(tops) > _LISTED_FOLDERS or any(len(inside.parts) == 1 for inside in sources):
        project.scan = (".",)
    else:
        project.scan = tuple(f"{top}/" for top in sorted(tops))
    return project


def _find_files_of(
    app: App, files: Iterable[tuple[Path, PurePath]], project: ProjectFiles, gate: Gate
) -> None:
    """Add the files of an application to a project, with the costs in them."""
    places = [place for place in app.places if not place.startswith("/")]
    for path, inside in files:
        if not any(inside.match(place) for place in places):
            continue
        name = inside.as_posix()
        try:
            costs = _costs_if_own(app, path, gate)
        except UnavailableError as error:
            project.unread[name] = str(error)
        except UnreadError as error:
            project.unread[name] = str(error)
            project.is_cut_short = True
        else:
            if costs is not None:
                project.apps[app.name] = (*project.apps.get(app.name, ()), name)
                project.costs += costs


def _costs_if_own(app: App, path: Path, gate: Gate) -> list[Configured] | None:
    """The costs in a file; `None` if nothing shows that it is the application's.

    Raises:
        UnreadError: a limit ended the reading.
        UnavailableError: it needs an extra to be read.
    """
    # Many applications have a file of such a name; only its content tells whose it is.
    content = gate.read(path)
    try:
        text = content.decode()
        read = costs_of(read_files(app, (path,)), None, gate)
        with gate.timed(path):
            is_ours = is_own(app.signs, text)
    except (UnavailableError, UnreadError):
        raise
    except (HashcostError, UnicodeDecodeError):
        return None  # Whatever it is: a check of it would end so each time.
    configured = [cost for cost in read if isinstance(cost, Configured)]
    judged = [cost.outcome for cost in read if isinstance(cost, Judgement)]
    if configured or is_ours or Outcome.UNSUITABLE in judged:
        return configured
    return None
