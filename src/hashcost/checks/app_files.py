"""The files of an application, and the costs in them."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, TypeAlias

from hashcost.apps.interface import App
from hashcost.apps.registry import load_tunable
from hashcost.apps.text import assignments
from hashcost.checks.app_costs import Texts, costs_in_files, live_files, variables_beside
from hashcost.checks.app_releases import AppRelease, starts_containers
from hashcost.checks.app_unknowns import unread_file
from hashcost.checks.judgement import CostOrVerdict, Judgement, Outcome
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UnreadError, UsageError, prefix_errors
from hashcost.core.text import path_name, quoted
from hashcost.source_code.versions import pins_beside
from hashcost.storage.files import read_limited
from hashcost.storage.gate import Gate
from hashcost.storage.kinds import BEGINNING, strange_kind
from hashcost.storage.settings import Settings

_VERSION_CHARACTERS = 100
"""Long enough for any release, and short enough for the rows that quote it."""


@dataclass(frozen=True)
class AppFiles:
    """The files that decide on an application's costs."""

    app: App
    """The application that decides, which may be another than the one that was named."""
    paths: tuple[Path, ...]
    texts: Texts
    """The files that can be read."""
    unread: tuple[Judgement, ...]
    """A row for each file that cannot."""

    @property
    def for_tests(self) -> tuple[str, ...]:
        """The paths of the files that only tests read, if there are others that count."""
        live = {path for path, _ in live_files(self.app, self.texts)}
        if not live:
            return ()
        return tuple(path for path, _ in self.texts if path not in live)


AppCosts: TypeAlias = tuple[Sequence[CostOrVerdict], Sequence[AppFiles]]
"""The costs of applications, and the files that they were read from."""


def app_costs(app: App, paths: Sequence[Path], release: str | None, gate: Gate) -> AppCosts:
    """Read the costs that an application is configured with.

    Args:
        app: The application.
        paths: Its files; without any, the first of its usual places that exists.
        release: Its release number, where that is known.
        gate: The time to read within. What it ends is a row.

    Raises:
        UsageError: it has no file.
        UnreadableInputError: none of its files can be read.
    """
    if release is not None and len(release) > _VERSION_CHARACTERS:
        raise UsageError(
            f"--app-version: {quoted(release)} is not a release number; write for example 1.22"
        )
    if not paths:
        paths = [usual_file(app, f"calibrate check --app {app.name} FILE")]
    files = []
    try:
        files.append(read_files(app, paths))
        return costs_of(files[0], release, gate), files
    except UnreadError as error:
        return [unread_file(str(paths[0]), error)], files


def read_files(app: App, paths: Sequence[Path]) -> AppFiles:
    """Read the files of an application, and those beside them that it reads too.

    Raises:
        UnreadableInputError: none of them can be read.
    """
    decides, whole = deciding(app, paths)
    texts, unread, errors = [], [], []
    for path in whole:
        try:
            texts.append((str(path), text_of(path)))
        except UnreadableInputError as error:
            errors.append(error)
            unread.append(unread_file(str(path), error))
    if not texts:
        raise errors[0]
    texts = [(path, _interpolated(path, text)) for path, text in texts]
    for path in [*_variables(app, texts)]:
        if path.resolve() not in {other.resolve() for other in whole}:
            whole.append(path)
            texts.append((str(path), text_of(path)))
    return AppFiles(decides, tuple(whole), texts, tuple(unread))


_REFERENCE: Final = re.compile(
    r"\$(?:(?P<escaped>\$)|(?P<plain>[A-Za-z_]\w*+)"
    r"|\{(?P<braced>[A-Za-z_]\w*+)(?::?[-?][^{}$\n]*+)?\})"
)
"""A variable that Compose fills in."""


def _interpolated(path: str, text: str) -> str:
    """Give the variables of a Compose file the values of the ``.env`` beside it as defaults.

    The environment goes before that file.
    """
    beside = Path(path).parent / ".env"
    if not starts_containers(text) or not beside.is_file():
        return text
    try:
        values = {entry.name: entry.value for entry in assignments(text_of(beside))}
    except UnreadableInputError:
        return text

    def filled(reference: re.Match[str]) -> str:
        name = reference["plain"] or reference["braced"] or ""
        value = values.get(name)
        if value is None or "\n" in value or '"' in value:
            return reference[0]
        # A default has no signs of a variable in it.
        if re.search(r"[${}]", value):
            return value
        return f"${{{name}:-{value}}}"

    return _REFERENCE.sub(filled, text)


def _variables(app: App, texts: Texts) -> Iterator[Path]:
    """Find the files with variables that the Compose files among the texts name."""
    for path, text in texts:
        for name in variables_beside(app, text):
            other = Path(path).parent / name
            if other.is_file():
                yield other


def costs_of(read: AppFiles, release: str | None, gate: Gate) -> list[CostOrVerdict]:
    """The costs in the files of an application, and the places where they are unknown.

    Raises:
        UnreadableInputError: all files are damaged.
        UnreadError: the time is up, or a file that may pin the release cannot be read.
    """
    app, paths = read.app, read.paths
    named = {path.resolve() for path in paths}
    rows = []
    with gate.timed(", ".join(map(path_name, paths[:3]))):
        pinned = release_of(app, paths[0], gate, release)
        costs = costs_in_files(app, read.texts, pinned)
        for path in paths:
            for other in beside(app, path, named):
                with suppress(UnreadableInputError):  # What changes no answer sets no cost.
                    both = (*read.texts, (str(other), text_of(other)))
                    if costs_in_files(app, both, pinned) == costs:
                        continue
                name = path_name(other)
                why = f"{name} may set the cost too, and is not named"
                advice = f"check both: calibrate check --app {app.name} {path_name(path)} {name}"
                place = Place(path=str(path))
                row = Judgement.without_cost(Outcome.UNKNOWN, "unknown", place, why, advice)
                rows.append(row)
    return [*costs, *rows, *read.unread]


def deciding(app: App, paths: Sequence[Path]) -> tuple[App, list[Path]]:
    """Find the application that decides on files, with the files that it reads beside them."""
    decides = app
    whole = [*paths]
    named = {path.resolve() for path in paths}
    for path in paths:
        for place in app.reads:
            other = path.parent / place
            if not other.is_file():
                continue
            # With that file there, another application sets the cost.
            if app.gives_way:
                decides = load_tunable(app.gives_way)
            if other.resolve() not in named:
                whole.append(other)
    return decides, whole


def beside(app: App, path: Path, named: Collection[Path]) -> Iterator[Path]:
    """The files beside one that may set the cost too; ``named`` are real paths of others."""
    for pattern in app.beside:
        for other in sorted(path.parent.glob(pattern)):
            if other.is_file() and other.resolve() not in named:
                yield other


def listed_app_costs(settings: Settings, gate: Gate) -> AppCosts:
    """Read the costs of the applications that the settings list; see `app_costs`.

    An application whose files cannot be read is a row beside what else there is to check.

    Raises:
        UnreadableInputError: nothing that the settings list can be read.
    """
    rows: list[CostOrVerdict] = []
    files: list[AppFiles] = []
    errors = []
    for name, _ in settings.app:
        with prefix_errors(f"{settings.path}: app"):
            app = load_tunable(name)
            paths = listed_files(settings, app, f"calibrate check --app {name} FILE")
            try:
                costs, read = app_costs(app, paths, None, gate)
            except UnreadableInputError as error:
                errors.append(error)
                rows.append(unread_file(str(paths[0]), error))
                continue
            rows += costs
            files += read
    is_alone = not (settings.check or settings.scan)
    if errors and is_alone and len(errors) == len(settings.app):
        raise errors[0]
    return rows, files


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
        paths = [Path(place)]
        if not paths[0].is_absolute():
            paths = sorted(folder.glob(place))
        for path in paths:
            if path.is_file():
                return path
    looked = ""
    if app.places:
        looked = f" (looked for {', '.join(app.places)})"
    raise UsageError(f"no {app.title} file found{looked}; name it, for example `{example}`")


def text_of(path: Path) -> str:
    """Read a file of an application."""
    content = read_limited(path)
    kind = strange_kind(content[:BEGINNING])
    if kind:
        raise UnreadableInputError(f"it is {kind}; name a configuration file", path_name(path))
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        why = "it is not UTF-8; convert it first"
        raise UnreadableInputError(why, path_name(path)) from error


def release_of(app: App, path: Path, gate: Gate, given: str | None = None) -> AppRelease | None:
    """The release that is given, that the files around `path` pin, or that is installed here.

    Raises:
        UnreadError: a file that may pin one is too large, or cannot be read.
    """
    if given is not None:
        return AppRelease(given)
    # The project runs with what it pins, whatever is installed here.
    if app.package or app.pins:
        pins = pins_beside(str(path.absolute()), gate)
        for name in filter(None, (app.package, *app.pins)):
            if name not in pins:
                continue
            pin = pins[name]
            # A tag moves on within its releases, and these may differ.
            if pin.is_tag and app.changed_within(pin.version):
                return None
            return AppRelease(pin.version, pin.source)
    if app.package is None:
        return None
    try:
        return AppRelease(version(app.package), "installed beside hashcost")
    except PackageNotFoundError:
        return None
