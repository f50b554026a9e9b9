"""The files of an application that the user means, and the costs in them."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec.structs import replace

from hashcost.apps.django_import import import_hashers
from hashcost.apps.interface import App
from hashcost.apps.registry import load_tunable
from hashcost.cli.inputs import shown
from hashcost.cli.process import TimeUp, limited
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UsageError, said_of
from hashcost.core.text import path_name, quoted
from hashcost.documents.files import read_limited
from hashcost.documents.settings import Settings
from hashcost.verdicts.app_costs import Held, costs_in_files, imported_costs
from hashcost.verdicts.judgement import Judgement, Outcome

_LARGEST_FILE = 4 << 20
_LONGEST_VERSION = 100
LONGEST_SECONDS = 20.0
"""For all files; the largest take less than five."""


def app_costs(name: str, files: tuple[str, ...], version: str | None) -> tuple[Held, ...]:
    """The costs that an application is configured with.

    Without a file, the first of its usual places that is there is read.
    """
    app = load_tunable(name)
    defaults = [scheme.defaults for scheme in app.schemes]
    differs = any(len(each) > 1 or any(default.since for default in each) for each in defaults)
    if version is not None and not differs:
        raise UsageError(
            f"--app-version makes no difference: {app.title} has had the same defaults in every"
            f" known release; leave it out"
        )
    if version is not None and len(version) > _LONGEST_VERSION:
        raise UsageError(
            f"--app-version: {quoted(version)} is not a release number; write for example 1.22"
        )
    version = version or installed(app)
    paths = [Path(each) for each in files] or [usual_file(app)]
    named = [(str(path), text_of(path)) for path in paths]
    try:
        with limited(LONGEST_SECONDS):
            held = costs_in_files(app, named, version)
            return tuple(map(_shown, (*held, *_beside(app, paths))))
    except TimeUp:
        place = Place(path=", ".join(map(path_name, paths[:3])))
        why = f"reading it takes longer than {LONGEST_SECONDS:g} s"
        advice = f"name a smaller file of {app.title}"
        return (Judgement.without_cost(Outcome.UNKNOWN, "unknown", place, why, advice),)


def _beside(app: App, paths: Sequence[Path]) -> Iterator[Held]:
    """The files that are not named, and that may set the cost too."""
    named = {path.resolve() for path in paths}
    for path in paths:
        for place in app.beside:
            for other in sorted(path.parent.glob(place)):
                if other.is_file() and other.resolve() not in named:
                    why = f"{path_name(other)} may set the cost too, and is not named"
                    advice = f"check both: calibrate check --app {app.name}"
                    advice += f" {path_name(path)} {path_name(other)}"
                    at = Place(path=str(path))
                    yield Judgement.without_cost(Outcome.UNKNOWN, "unknown", at, why, advice)


def listed_app_costs(settings: Settings) -> tuple[Held, ...]:
    """The costs of the applications that the settings list, with places as CI shows them."""
    found: list[Held] = []
    for name, files in settings.app:
        with said_of(f"{settings.path}: app"):
            named = files or (usual_file(load_tunable(name), settings.folder),)
            found += app_costs(name, tuple(map(str, named)), None)
    return tuple(
        each
        if each.place is None
        else replace(each, place=replace(each.place, path=shown(Path(each.place.path))))
        for each in found
    )


def django_costs() -> tuple[Held, ...]:
    """The cost that Django resolves its settings to; that runs the settings.

    The interpreter is this one where it has Django and no other environment is
    activated, and else the one that `python` means here.
    """
    python = sys.executable
    if os.environ.get("VIRTUAL_ENV") or importlib.util.find_spec("django") is None:
        python = shutil.which("python") or python
    imported = import_hashers(folder=Path.cwd(), python=python)
    return tuple(map(_shown, imported_costs(load_tunable("django"), imported)))


def _shown(held: Held) -> Held:
    """The same, with the name of its file as it is shown."""
    if held.place is None:
        return held
    place = replace(held.place, path=path_name(held.place.path))
    return replace(held, place=place)


def usual_file(app: App, folder: Path = Path()) -> Path:
    """The first of the places where the application's file usually is.

    Raises:
        UsageError: there is none.
    """
    found = next(usual_files(app, folder), None)
    if found is None:
        looked = f" (looked for {', '.join(app.places)})" if app.places else ""
        raise UsageError(
            f"no {app.title} file found{looked}; name it, for example `calibrate check --app"
            f" {app.name} FILE`"
        )
    return found


def usual_files(app: App, folder: Path) -> Iterator[Path]:
    """The files where the application's usually is; a relative place is below a folder."""
    for place in app.places:
        named = [Path(place)] if Path(place).is_absolute() else sorted(folder.glob(place))
        yield from filter(Path.is_file, named)


def text_of(path: Path) -> str:
    """The text of a file, as its bytes have it."""
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
