"""Which applications there are: a TOML file in ``data`` each, read when it is asked for."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from hashcost.apps.interface import App, Limits, Reference, Scheme, SourcedFigure, Untunable
from hashcost.apps.refusals import RULES
from hashcost.apps.snippet import mistakes_in
from hashcost.core.errors import UnknownNameError, UnreadableInputError, UsageError
from hashcost.core.text import hint, printable, quoted
from hashcost.documents.toml_tables import mistake

_DATA: Final = files("hashcost.apps").joinpath("data")
_SUFFIX: Final = ".toml"
_Figure = TypeVar("_Figure", bound=SourcedFigure)


class Hashing(Reference, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a library hashes: what is timed in its place, and what it accepts."""

    limits: dict[str, Limits] = msgspec.field(default_factory=dict)


class Library(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A library that applications hash with, in any language."""

    title: str
    hashers: dict[str, Hashing]


def app_names() -> tuple[str, ...]:
    """The names of all applications, in alphabetical order."""
    return _names(_DATA)


def library_names() -> tuple[str, ...]:
    """The names of all libraries, in alphabetical order."""
    return _names(_DATA.joinpath("libraries"))


@cache
def load_app(name: str) -> App | Untunable:
    """An application by its name.

    Raises:
        UnknownNameError: there is none; the message offers a near one.
    """
    known = app_names()
    if name not in known:
        told = hint(name, known, "`calibrate apps` lists them", cutoff=0.5)
        raise UnknownNameError(f"unknown application {quoted(name, 60)}; {told}", name)
    return app_from_toml(_DATA.joinpath(name + _SUFFIX).read_text("utf-8"), name=name)


def load_tunable(name: str) -> App:
    """An application that has a cost to set.

    Raises:
        UnknownNameError: there is none of this name.
        UsageError: it has no cost to set; the message says what can be done instead.
    """
    app = load_app(name)
    if isinstance(app, Untunable):
        raise UsageError(f"{app.title} has no cost to set: {app.what}. {app.instead}")
    return app


def timed_in_place() -> tuple[str, ...]:
    """The hashers timed in place of the applications' libraries, as ``hasher@implementation``."""
    apps = (app for name in app_names() if isinstance(app := load_app(name), App))
    return tuple(
        dict.fromkeys(
            f"{scheme.hasher}@{scheme.reference.implementation}"
            for app in apps
            for scheme in app.schemes
            if scheme.reference is not None
        )
    )


@cache
def load_library(name: str) -> Library:
    """A library by its name."""
    text = _DATA.joinpath("libraries", name + _SUFFIX).read_text("utf-8")
    return library_from_toml(text, name=name)


def library_from_toml(text: str, *, name: str) -> Library:
    """Read a library; ``name`` is that of its file.

    Raises:
        UnreadableInputError: it is not TOML, or not a library, or a figure has no source
            or date; the message names the key that is wrong.
    """
    library: Library = _converted(_table(text, name), Library, name)
    for hasher, hashing in library.hashers.items():
        is_compared = hashing.factor != 1.0 or not hashing.is_its_own
        if hashing.factors and is_compared:
            _refuse(name, f"`hashers.{hasher}` needs a `factor` or `factors`, not both")
        compared = hashing.factors or ((hashing,) if is_compared else ())
        for figure in (*compared, *hashing.limits.values()):
            _check_traceable(figure, f"hashers.{hasher}", name)
    return library


def app_from_toml(text: str, *, name: str) -> App | Untunable:
    """Read an application; ``name`` is that of its file.

    A figure without a source or a day takes those of the application. A scheme takes
    the reference, and limits that it does not have, from the library that it ``runs``.

    Raises:
        UnreadableInputError: it is not TOML, or not an application; the message names
            the key that is wrong.
    """
    table = _table(text, name)
    if "name" in table:
        _refuse(name, "there is no key name; its file has the name")
    table["name"] = name
    if "schemes" not in table:
        untunable: Untunable = _converted(table, Untunable, name)
        return untunable
    for scheme in table["schemes"] if isinstance(table["schemes"], list) else ():
        if isinstance(scheme, dict):
            _take_from_library(scheme, name)
    app: App = _converted(table, App, name)
    if not app.schemes or not app.sources:
        _refuse(name, "it needs a scheme and a source at least")
    app = msgspec.structs.replace(
        app, schemes=tuple(_traceable(each, app) for each in app.schemes)
    )
    if not set(app.first.values()) <= {each.hasher for each in app.schemes}:
        _refuse(name, "`first` must name hashers of its schemes")
    for index, scheme in enumerate(app.schemes):
        _check_scheme(scheme, f"schemes[{index}]", name)
    return app


def _names(folder: Any) -> tuple[str, ...]:
    found = (file.name for file in folder.iterdir())
    return tuple(sorted(each.removesuffix(_SUFFIX) for each in found if each.endswith(_SUFFIX)))


def _table(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        _refuse(name, f"not TOML: {error}")


def _converted(table: dict[str, Any], kind: type[Any], name: str) -> Any:
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        wanted = tomllib.loads(files("hashcost.apps").joinpath("keys.toml").read_text("utf-8"))
        _refuse(name, mistake(error, wanted))


def _take_from_library(scheme: dict[str, Any], name: str) -> None:
    if "reference" in scheme:
        _refuse(name, "there is no key schemes.reference; name a library that it `runs`")
    runs, hasher = scheme.pop("runs", None), scheme.get("hasher")
    if runs is None:
        return
    if runs not in library_names():
        _refuse(name, f"no library {runs!r}; there are {', '.join(library_names())}")
    hashing = load_library(runs).hashers.get(str(hasher))
    if hashing is None:
        _refuse(name, f"the library {runs} has no {hasher}")
    told = msgspec.to_builtins(hashing.on(None))
    limits = told.pop("limits")
    scheme["reference"] = told
    own = scheme.get("limits", {})
    scheme["limits"] = {**limits, **own} if isinstance(own, dict) else own


def _traceable(scheme: Scheme, app: App) -> Scheme:
    """A scheme whose figures have the application's source and day unless their own."""

    def traced(figure: _Figure) -> _Figure:
        return msgspec.structs.replace(
            figure,
            source=figure.source or "; ".join(app.sources),
            checked=figure.checked or app.checked,
        )

    return msgspec.structs.replace(
        scheme,
        limits={param: traced(each) for param, each in scheme.limits.items()},
        defaults=tuple(traced(each) for each in scheme.defaults),
    )


def _check_scheme(scheme: Scheme, key: str, name: str) -> None:
    params = set(scheme.keys)
    if scheme.limits.keys() != params:
        _refuse(name, f"`{key}.limits` must be those of {', '.join(scheme.keys)}")
    for index, default in enumerate(scheme.defaults):
        if not default.params.keys() <= params:
            _refuse(name, f"`{key}.defaults[{index}].params` must be {', '.join(scheme.keys)}")
    wrong = mistakes_in(scheme.template, params)
    if wrong:
        _refuse(name, f"`{key}.write`: {wrong}")
    if scheme.rule not in {None, *RULES}:
        _refuse(name, f"`{key}.refuses`: write one of {', '.join(RULES)}")


def _check_traceable(figure: SourcedFigure, key: str, name: str) -> None:
    day = figure.checked or getattr(figure, "measured", None)
    if not figure.source or day is None:
        _refuse(name, f"`{key}` needs a `source` and the day on which it was `checked`")


def _refuse(name: str, problem: str) -> NoReturn:
    raise UnreadableInputError(f"{name}.toml: {printable(problem)}")
