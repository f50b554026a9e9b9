"""The files of an application that the user means, and the costs in them."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hashcost.apps.django_import import import_hasher
from hashcost.apps.interface import App
from hashcost.apps.registry import load_tunable
from hashcost.cli.process import TimeUp, limited
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UsageError, said_of
from hashcost.core.text import path_name, quoted
from hashcost.documents.files import read_limited
from hashcost.documents.settings import Settings
from hashcost.verdicts.app_costs import costs_in_files, imported_costs
from hashcost.verdicts.judgement import Held, Judgement, Outcome

_LARGEST_FILE = 4 << 20
_LONGEST_VERSION = 100
LONGEST_SECONDS = 20.0
"""For all files; the largest take less than five."""


def app_costs(name: str, files: tuple[str, ...], release: str | None) -> tuple[Held, ...]:
    """Read the costs that an application is configured with.

    Without a file, the first of its usual places that is there is read.
    """
    app = load_tunable(name)
    if release is not None and len(release) > _LONGEST_VERSION:
        raise UsageError(
            f"--app-version: {quoted(release)} is not a release number; write for example 1.22"
        )
    paths = [Path(file) for file in files] or [_usual_file(app)]
    texts = [(str(path), text_of(path)) for path in paths]
    try:
        with limited(LONGEST_SECONDS):
            costs: list[Held] = [*costs_in_files(app, texts, release or installed(app))]
            # Other files, not named, may set the cost too.
            named = {path.resolve() for path in paths}
            for path in paths:
                for place in app.beside:
                    for other in sorted(path.parent.glob(place)):
                        if other.is_file() and other.resolve() not in named:
                            why = f"{path_name(other)} may set the cost too, and is not named"
                            advice = f"check both: calibrate check --app {app.name}"
                            advice += f" {path_name(path)} {path_name(other)}"
                            costs.append(_unknown(str(path), why, advice))
            return tuple(costs)
    except TimeUp:
        why = f"reading it takes longer than {LONGEST_SECONDS:g} s"
        advice = f"name a smaller file of {app.title}"
        return (_unknown(", ".join(map(str, paths[:3])), why, advice),)


def _unknown(path: str, why: str, advice: str) -> Judgement:
    place = Place(path=path)
    return Judgement.without_cost(Outcome.UNKNOWN, "unknown", place, why, advice)


def listed_app_costs(settings: Settings) -> Iterator[Held]:
    """Read the costs of the applications that the settings list."""
    for name, files in settings.app:
        with said_of(f"{settings.path}: app"):
            paths = files or (_usual_file(load_tunable(name), settings.folder),)
            yield from app_costs(name, tuple(map(str, paths)), None)


def django_costs() -> tuple[Held, ...]:
    """Ask Django for the cost that it resolves its settings to; that runs the settings.

    The interpreter is this one where it has Django and no other environment is
    activated, and else the one that `python` means here.
    """
    python = sys.executable
    if os.environ.get("VIRTUAL_ENV") or importlib.util.find_spec("django") is None:
        python = shutil.which("python") or python
    imported = import_hasher(folder=Path.cwd(), python=python)
    return imported_costs(load_tunable("django"), imported)


def _usual_file(app: App, folder: Path = Path()) -> Path:
    for place in app.places:
        paths = [Path(place)] if Path(place).is_absolute() else sorted(folder.glob(place))
        for path in filter(Path.is_file, paths):
            return path
    looked = f" (looked for {', '.join(app.places)})" if app.places else ""
    raise UsageError(
        f"no {app.title} file found{looked}; name it, for example `calibrate check --app"
        f" {app.name} FILE`"
    )


def text_of(path: Path) -> str:
    """Read a file of an application."""
    try:
        return read_limited(path, _LARGEST_FILE).decode()
    except UnicodeDecodeError as error:
        raise UnreadableInputError(
            f"{path_name(path)}: it is not UTF-8; convert it first"
        ) from error


def installed(app: App) -> str | None:
    """The version of the application's package, where it is one of Python and is here."""
    if app.package is None:
        return None
    try:
        return version(app.package)
    except PackageNotFoundError:
        return None
