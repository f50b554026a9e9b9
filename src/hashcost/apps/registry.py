"""The applications: a TOML file in ``data`` each, read on demand."""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from hashcost.apps.facts import Facts
from hashcost.apps.interface import App
from hashcost.apps.references import Reference
from hashcost.apps.schemes import Limits
from hashcost.apps.signs import is_own
from hashcost.apps.untunable import Untunable
from hashcost.core.errors import UnknownNameError, UsageError
from hashcost.core.package_data import data_names, data_text
from hashcost.core.text import hint, path_name, quoted

_DATA: Final = "apps/data"


class Hashing(Reference, frozen=True, kw_only=True):
    """How a library hashes: the implementation that is timed in its place, and its limits."""

    limits: dict[str, Limits] = msgspec.field(default_factory=dict)


class Library(Facts, frozen=True):
    """A library that applications hash with, in any language."""

    title: str
    hashers: dict[str, Hashing]


def app_names() -> tuple[str, ...]:
    """The names of all applications, in alphabetical order."""
    return data_names(_DATA)


@cache
def load_app(name: str) -> App | Untunable:
    """An application by its name.

    Raises:
        UnknownNameError: the name is unknown; the message offers a near one.
    """
    names = app_names()
    if name not in names:
        near = hint(name, names, "`calibrate list apps` lists them")
        other = (
            "(for any other, `calibrate check HASHER=COST` judges a cost, `calibrate scan` the"
            " source code and `calibrate audit` the stored hashes)"
        )
        raise UnknownNameError(f"unknown application {quoted(name, 60)}; {near} {other}", name)
    return app_from_toml(data_text(f"{_DATA}/{name}.toml"), name=name)


def load_tunable(name: str, files: Sequence[Path] = (), release: str | None = None) -> App:
    """An application that has a cost to set; ``files`` and ``release`` are what the user names.

    Raises:
        UnknownNameError: the name is unknown.
        UsageError: its configuration sets no cost; the message says what can be done instead.
    """
    app = load_app(name)
    if isinstance(app, App):
        return app
    if not files:
        raise UsageError(app.says(release))
    # What it says is true of the program. A file may hold hashes that were made elsewhere.
    names = [path_name(path) for path in files]
    raise UsageError(
        f"{app.says(release)} hashcost did not read {', '.join(names)}; to judge stored hashes"
        f" there, run `calibrate audit {' '.join(names)}`."
    )


def tunable() -> tuple[App, ...]:
    """All applications that have a cost to set."""
    apps = map(load_app, app_names())
    return tuple(app for app in apps if isinstance(app, App))


def owners_of(text: str) -> tuple[App, ...]:
    """The applications whose file it is, by two marks: other programs may have one of them."""
    return tuple(app for app in tunable() if is_own(app.signs, text, marks=2))


def timed_in_place() -> tuple[str, ...]:
    """The hashers timed in place of the applications' libraries, as ``hasher@implementation``."""
    labels: dict[str, None] = {}
    for app in tunable():
        for scheme in app.schemes:
            if scheme.reference is not None:
                labels[f"{scheme.hasher}@{scheme.reference.implementation}"] = None
    return tuple(labels)


@cache
def load_library(name: str) -> Library:
    """A library by its name."""
    return library_from_toml(data_text(f"{_DATA}/libraries/{name}.toml"))


def library_from_toml(text: str) -> Library:
    """Read a library; its file is ours, so a mistake in it is a bug and raised as it is."""
    return msgspec.convert(tomllib.loads(text), Library)


def app_from_toml(text: str, *, name: str) -> App | Untunable:
    """Read an application; ``name`` is that of its file, which is ours as a library's is.

    A scheme takes the reference, and limits that it does not have, from the library that it
    ``runs``. A limit or a default without a source or a day takes those of the application.

    Raises:
        ValueError: the library that a scheme ``runs`` does not have its ``hasher``.
    """
    table = {**tomllib.loads(text), "name": name}
    if "schemes" not in table:
        return msgspec.convert(table, Untunable)
    usual = {"source": "; ".join(table["sources"]), "checked": table["checked"]}
    for scheme in table["schemes"]:
        limits = scheme.get("limits", {})
        if "runs" in scheme:
            library = scheme.pop("runs")
            hasher = scheme.get("hasher")
            hashers = load_library(library).hashers
            if hasher not in hashers:
                names = ", ".join(hashers)
                raise ValueError(
                    f"{name}: runs = {library!r} has no hasher {hasher!r}, only {names}"
                )
            # As long as no CPU is known, the highest of all factors counts.
            reference = msgspec.to_builtins(hashers[hasher].on(None))
            limits = {**reference.pop("limits"), **limits}
            scheme["reference"] = reference
        scheme["limits"] = {param: {**usual, **limit} for param, limit in limits.items()}
        scheme["defaults"] = [{**usual, **default} for default in scheme.get("defaults", ())]
    return msgspec.convert(table, App)
