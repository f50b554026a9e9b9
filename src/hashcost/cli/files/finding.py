"""Find the files of applications and the source code that a project's folder has to check."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.apps.signs import is_own
from hashcost.cli.files.app_files import app_costs
from hashcost.core.errors import HashcostError, UnavailableError
from hashcost.source_code.files import own_files
from hashcost.source_code.rules import by_suffix
from hashcost.verdicts.judgement import Configured, Judgement, Outcome

_LARGEST: Final = 1 << 20
"""Bytes of a file that is looked at for what it configures."""
_MOST_FOLDERS: Final = 8
"""More of them are not listed one by one."""


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
    for app in _apps():
        for path, inside in files:
            if any(inside.match(place) for place in app.places if not place.startswith("/")):
                try:
                    found = _configured(app, path)
                except UnavailableError as error:
                    unread[inside.as_posix()] = str(error)
                    continue
                if found is not None:
                    apps[app.name] = (*apps.get(app.name, ()), inside.as_posix())
                    costs += found
    return Project(
        apps=apps,
        costs=tuple(costs),
        unread=unread,
        scan=_folders([inside for _, inside in files if inside.suffix.lower() in by_suffix()]),
    )


def _apps() -> Iterator[App]:
    for name in app_names():
        app = load_app(name)
        if isinstance(app, App):
            yield app


def _configured(app: App, path: Path) -> list[Configured] | None:
    """The costs that a file gives an application; `None` if it is not one of its files.

    Raises:
        UnavailableError: what reads it is not installed.
    """
    try:
        if path.stat().st_size > _LARGEST:
            return None
        held = app_costs(app.name, (str(path),), None)
        ours = is_own(app.signs, path.read_text("utf-8"))
    except UnavailableError:
        raise
    except (HashcostError, OSError, UnicodeDecodeError):
        return None  # Whatever it is: a check of it would end so each time.
    costs = [each for each in held if isinstance(each, Configured)]
    unfit = any(
        isinstance(each, Judgement) and each.outcome is Outcome.UNSUITABLE for each in held
    )
    return costs if costs or unfit or ours else None


def _folders(sources: Sequence[PurePath]) -> tuple[str, ...]:
    """The folders that the source code of a project is in; itself where some is at its top."""
    tops = sorted({f"{each.parts[0]}/" for each in sources if len(each.parts) > 1})
    at_top = any(len(each.parts) == 1 for each in sources)
    return (".",) if at_top or len(tops) > _MOST_FOLDERS else tuple(tops)
