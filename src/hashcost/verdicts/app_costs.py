"""The costs that an application is configured with, read from its file. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from hashcost.apps.interface import App, Found, ReleaseDefault, Scheme
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params
from hashcost.core.place import Place
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read
from hashcost.verdicts.judgement import Configured

if TYPE_CHECKING:
    from hashcost.apps.django_import import Imported

_REFUSED = "refused"
_LOOKED_AT = 4096


def costs_in(app: App, text: str, path: str, version: str | None) -> tuple[Configured, ...]:
    """The costs that the application uses when it reads this file.

    ``version`` is the application's release, which decides where the file sets nothing.

    Raises:
        UnreadableInputError: the file is not what it should be, or sets a cost that
            the application refuses.
    """
    try:
        found = app.read(text)
    except UnreadableInputError as error:
        raise UnreadableInputError(f"{path}: {error}") from error
    used = [each for each in found if each.wins]
    if used:
        return tuple(_configured(app, each, path, version) for each in used)
    if _holds_hashes(text):
        raise UnreadableInputError(
            f"{path}: it holds hashes and no setting of {app.title}; `calibrate audit` counts them"
        )
    return (unset(app, path, version),)


def _holds_hashes(text: str) -> bool:
    """Whether the first lines are stored hashes, alone or behind a user's name."""
    lines = [line.strip() for line in text[:_LOOKED_AT].splitlines() if line.strip()]
    fields = (each for line in lines for each in (line, line.partition(":")[2].split(":")[0]))
    return any(read(each).kind is Kind.HASHED for each in fields)


def imported_costs(app: App, imported: Imported) -> tuple[Configured, ...]:
    """The cost that Django itself says new passwords are hashed with.

    Raises:
        UnreadableInputError: that hasher has no cost.
    """
    if imported.costless or not imported.hashers:
        raise UnreadableInputError(
            f"--import: Django hashes new passwords with {imported.costless or 'nothing known'},"
            " which has no cost; put another first in PASSWORD_HASHERS"
        )
    first = imported.hashers[0]
    cost = _configured(app, first.found, first.path or first.name, imported.release)
    place = Place(path=first.path, line=first.found.line or None) if first.path else None
    note = f"{first.name} of Django {imported.release}, as Django resolves it"
    return (msgspec.structs.replace(cost, place=place, note=note),)


def unset(app: App, path: str, version: str | None) -> Configured:
    """What the application uses where nothing is configured, as far as that is known."""
    scheme = app.schemes[0]
    default = default_for(scheme, version)
    if default is None:
        raise UnreadableInputError(
            f"{path}: it sets no cost, and no default of {app.title} is known"
            + (f" for version {version}" if version else "")
        )
    note = f"the file sets none; the default of {app.title}{_since(default)}"
    return _cost(app, scheme, default.params, Place(path=path), note, default.blocks)


def default_for(scheme: Scheme, version: str | None) -> ReleaseDefault | None:
    """The default of a release: of the newest, where none is given."""
    if version is None:
        return scheme.defaults[-1] if scheme.defaults else None
    wanted = _ordered(version)
    known = [each for each in scheme.defaults if _ordered(each.since) <= wanted]
    return known[-1] if known else None


def _configured(app: App, found: Found, path: str, version: str | None) -> Configured:
    """A cost as the application takes it; what the file leaves out is as by default."""
    scheme = app.scheme(found.hasher)
    place = Place(path=path, line=found.line)
    if scheme is None:
        hasher, params = found.hasher, found.params
        return Configured(
            hasher=hasher, implementation=None, params=params, place=place, note=found.why
        )
    default = default_for(scheme, version)
    params = {**({} if default is None else default.params), **found.params}
    notes = [found.why] if found.why else []
    if default is not None and not default.params.keys() <= found.params.keys():
        notes.append(f"what the file leaves out is {app.title}'s default{_since(default)}")
    for name, limits in scheme.limits.items():
        value = params.get(name)
        if value is None or not limits.enforced or limits.nearest(value) == value:
            continue
        held = limits.nearest(value)
        beyond = limits.above if limits.above and value > limits.maximum else limits.beyond
        if beyond.startswith(_REFUSED):
            raise UnreadableInputError(
                f"{place}: {app.title} refuses {name} {value}; the nearest it takes is {held}"
            )
        if beyond not in found.why:
            notes.append(f"{name} {value} is beyond what {app.title} takes: {beyond}")
        params[name] = held
    return _cost(app, scheme, params, place, "; ".join(notes), found.blocks)


def _since(default: ReleaseDefault) -> str:
    return f" since {default.since}" if default.since else ""


def _cost(
    app: App, scheme: Scheme, params: Params, place: Place, note: str, blocks: int | None
) -> Configured:
    return Configured(
        hasher=scheme.hasher,
        implementation=None if scheme.reference is None else scheme.reference.implementation,
        params=params,
        place=place,
        app=app,
        scheme=scheme,
        blocks=blocks,
        note=note,
    )


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])
