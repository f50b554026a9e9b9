"""The files of an application, and the costs in them."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from hashcost.apps.interface import App
from hashcost.apps.registry import load_tunable
from hashcost.checks.app_costs import AppRelease, costs_in_files, unread_file
from hashcost.checks.judgement import Held, Judgement, Outcome
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UnreadError, UsageError, said_of
from hashcost.core.text import path_name, quoted
from hashcost.source_code.versions import pins_beside
from hashcost.storage.files import read_limited
from hashcost.storage.gate import Gate
from hashcost.storage.kinds import BEGINNING, strange_kind
from hashcost.storage.settings import Settings

_LONGEST_VERSION = 100


class AppFile(NamedTuple):
    """A file of an application, as it was read."""

    app: App
    path: str
    text: str


def app_costs(
    name: str,
    files: tuple[str, ...],
    release: str | None,
    gate: Gate,
    read: list[AppFile] | None = None,
) -> tuple[Held, ...]:
    """Read the costs that an application is configured with.

    Without a file, the first of its usual places that exists is read. What is read is added
    to ``read``.
    """
    app = load_tunable(name)
    if release is not None and len(release) > _LONGEST_VERSION:
        why = f"--app-version: {quoted(release)} is not a release number"
        raise UsageError(f"{why}; write for example 1.22")
    example = f"calibrate check --app {app.name} FILE"
    paths = [Path(file) for file in files] or [usual_file(app, example)]
    try:
        return costs_within(app, paths, release, gate, read)
    except UnreadError as error:
        return (unread_file(str(paths[0]), error),)


def costs_within(
    app: App,
    files: Sequence[Path],
    release: str | None,
    gate: Gate,
    read: list[AppFile] | None = None,
) -> tuple[Held, ...]:
    """Read the costs in the files of an application within the time of a gate; see `app_costs`.

    Raises:
        UnreadError: the time is up, or a file that may pin the release cannot be read.
    """
    app, paths = deciding(app, files)
    named = {path.resolve() for path in paths}
    texts, unread = _texts_of(paths)
    if read is not None:
        read += [AppFile(app, path, text) for path, text in texts]
    with gate.timed(", ".join(map(path_name, paths[:3]))):
        pinned = release_of(app, paths[0], gate, release)
        costs = costs_in_files(app, texts, pinned)
        unknown = []
        for path in paths:
            for other in beside(app, path, named):
                with suppress(UnreadableInputError):  # What changes no answer sets no cost.
                    both = [*texts, (str(other), text_of(other))]
                    if costs_in_files(app, both, pinned) == costs:
                        continue
                why = f"{path_name(other)} may set the cost too, and is not named"
                advice = f"check both: calibrate check --app {app.name}"
                advice += f" {path_name(path)} {path_name(other)}"
                unknown.append(_without_cost(Outcome.UNKNOWN, str(path), why, advice))
    return (*costs, *unknown, *unread)


def _texts_of(paths: Sequence[Path]) -> tuple[list[tuple[str, str]], list[Judgement]]:
    """The texts of files by their paths, and a row for each that cannot be read.

    Raises:
        UnreadableInputError: none of them can be read.
    """
    texts, unread, errors = [], [], []
    for path in paths:
        try:
            texts.append((str(path), text_of(path)))
        except UnreadableInputError as error:
            errors.append(error)
            unread.append(unread_file(str(path), error))
    if not texts:
        raise errors[0]
    return texts, unread


def deciding(app: App, paths: Sequence[Path]) -> tuple[App, list[Path]]:
    """Find the application that decides on files, with the files that it reads beside them."""
    beside = [path.parent / place for path in paths for place in app.reads]
    beside = [path for path in beside if path.is_file()]
    decides = load_tunable(app.gives_way) if beside and app.gives_way else app
    named = {path.resolve() for path in paths}
    return decides, [*paths, *(path for path in beside if path.resolve() not in named)]


def beside(app: App, path: Path, named: Collection[Path]) -> Iterator[Path]:
    """The files beside one that may set the cost too; ``named`` are real paths of others."""
    for pattern in app.beside:
        for other in sorted(path.parent.glob(pattern)):
            if other.is_file() and other.resolve() not in named:
                yield other


def _without_cost(outcome: Outcome, path: str, why: str, advice: str) -> Judgement:
    return Judgement.without_cost(outcome, "unknown", Place(path=path), why, advice)


def listed_app_costs(settings: Settings, gate: Gate, read: list[AppFile]) -> list[Held]:
    """Read the costs of the applications that the settings list; see `app_costs`.

    An application whose files cannot be read is a row beside what else there is to check.

    Raises:
        UnreadableInputError: nothing that the settings list can be read.
    """
    rows: list[Held] = []
    errors: list[UnreadableInputError] = []
    for name, _ in settings.app:
        with said_of(f"{settings.path}: app"):
            example = f"calibrate check --app {name} FILE"
            paths = listed_files(settings, load_tunable(name), example)
            try:
                rows += app_costs(name, tuple(map(str, paths)), None, gate, read)
            except UnreadableInputError as error:
                errors.append(error)
                rows.append(unread_file(str(paths[0]), error))
    is_alone = not (settings.check or settings.scan)
    if errors and is_alone and len(errors) == len(settings.app):
        raise errors[0]
    return rows


def listed_files(settings: Settings, app: App, example: str) -> tuple[Path, ...]:
    """The files that the settings list of an application, else its usual one.

    Raises:
        UsageError: it does not exist; the ``example`` is the command that names another.
    """
    listed = dict(settings.app).get(app.name, ())
    return listed or (usual_file(app, example, settings.folder),)


def usual_file(app: App, example: str, folder: Path = Path()) -> Path:
    """The first of an application's usual places, below a folder, that has a file.

    Raises:
        UsageError: it does not exist; the ``example`` is the command that names another.
    """
    for place in app.places:
        paths = [Path(place)] if Path(place).is_absolute() else sorted(folder.glob(place))
        for path in filter(Path.is_file, paths):
            return path
    looked = f" (looked for {', '.join(app.places)})" if app.places else ""
    raise UsageError(f"no {app.title} file found{looked}; name it, for example `{example}`")


def text_of(path: Path) -> str:
    """Read a file of an application."""
    content = read_limited(path)
    kind = strange_kind(content[:BEGINNING])
    if kind:
        raise UnreadableInputError(f"{path_name(path)}: it is {kind}; name a configuration file")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        why = f"{path_name(path)}: it is not UTF-8; convert it first"
        raise UnreadableInputError(why) from error


def release_of(app: App, path: Path, gate: Gate, given: str | None = None) -> AppRelease | None:
    """The release that is given, that the files around `path` pin, or that is installed here.

    Raises:
        UnreadError: a file that may pin one is too large, or cannot be read.
    """
    if given is not None:
        return AppRelease(given)
    names = [*filter(None, (app.package, *app.pins))]
    pins = pins_beside(str(path.absolute()), gate) if names else {}
    for name in names:
        if name in pins:
            return AppRelease(pins[name].version, pins[name].file)
    if app.package is None:
        return None
    try:
        return AppRelease(version(app.package), "installed here")
    except PackageNotFoundError:
        return None
