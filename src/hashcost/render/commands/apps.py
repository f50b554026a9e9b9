"""What `calibrate apps` shows: how each application configures its cost."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.apps.interface import App, Limits, Scheme, Untunable
from hashcost.core.measurement import Params
from hashcost.core.units import format_setting
from hashcost.render.document import Column, Document, Fields, Table, own, records, table


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One scheme of one application, or an application without a cost."""

    app: str
    title: str
    hasher: str | None = None
    keys: dict[str, str] = {}
    defaults: tuple[tuple[str, Params], ...] = ()
    limits: dict[str, str] = {}
    library: str
    timed_by: str | None = None
    factor: float | None = None
    factor_source: str = ""
    blocks: int = 1
    client_side: bool = False
    rehashes: str = "never"
    places: tuple[str, ...] = ()
    sources: tuple[str, ...]
    note: str


_FIELDS: Final[Fields[Listed]] = {
    **own("app", "hasher"),
    "keys": lambda entry: " ".join(f"{name}={key}" for name, key in entry.keys.items()),
    "defaults": lambda entry: "; ".join(
        f"{since}: {format_setting(params)}" for since, params in entry.defaults
    ),
    "range": lambda entry: "; ".join(f"{name} {text}" for name, text in entry.limits.items()),
    **own("library", "timed_by", "factor", "blocks", "client_side", "rehashes"),
    "sources": lambda entry: "; ".join(entry.sources),
}


def apps_document(apps: Sequence[App | Untunable], *, in_full: bool) -> Document:
    """A row per application, or ``in_full`` per scheme; the records are whole either way."""
    listed = tuple(entry for app in apps for entry in _entries(app))
    return Document(
        tables=(_schemes(listed) if in_full else _names(apps),),
        notes=tuple(map(_note, sorted(apps, key=lambda app: isinstance(app, Untunable))))
        if in_full
        else ("`calibrate apps NAME` shows an application's settings.",),
        fields=tuple(_FIELDS),
        records=records(listed, _FIELDS),
        value=listed,
    )


def _note(app: App | Untunable) -> str:
    if isinstance(app, Untunable):
        return f"{app.title} has no cost to set: {app.what}. {app.instead}"
    return f"{app.title}: stored hashes follow the setting: {app.rehashes}."


def _names(apps: Sequence[App | Untunable]) -> Table:
    return table(
        apps,
        (Column("app"), lambda app: app.name),
        (Column("name"), lambda app: app.title),
        (Column("hashers", flexible=True), _hashers),
    )


def _hashers(app: App | Untunable) -> str:
    if isinstance(app, Untunable):
        return "no cost to set"
    return ", ".join(scheme.hasher for scheme in app.schemes)


def _schemes(listed: Sequence[Listed]) -> Table:
    return table(
        listed,
        (Column("app"), lambda entry: entry.app),
        (Column("hasher"), lambda entry: entry.hasher or "-"),
        (
            Column("setting", flexible=True),
            lambda entry: ", ".join(entry.keys.values()) if entry.hasher else "none",
        ),
        (Column("default", flexible=True), _newest_default),
        (
            Column("range", flexible=True),
            lambda entry: ", ".join(entry.limits.values()) if entry.hasher else "-",
        ),
    )


def _newest_default(entry: Listed) -> str:
    since, params = entry.defaults[-1] if entry.defaults else ("", {})
    return f"{format_setting(params)}{f' ({since})' if since else ''}" if params else "-"


def _entries(app: App | Untunable) -> list[Listed]:
    if isinstance(app, App):
        return [_entry(app, scheme) for scheme in app.schemes]
    note, sources = app.instead, app.sources
    return [Listed(app=app.name, title=app.title, library=app.what, note=note, sources=sources)]


def _range(limits: Limits) -> str:
    step = f" by {limits.step}" if limits.step > 1 else ""
    return limits.choices if limits.allowed else f"{limits.minimum}..{limits.maximum}{step}"


def _entry(app: App, scheme: Scheme) -> Listed:
    reference = scheme.reference
    return Listed(
        app=app.name,
        title=app.title,
        hasher=scheme.hasher,
        keys=dict(scheme.keys),
        defaults=tuple((each.since, each.params) for each in scheme.defaults),
        limits={name: _range(limits) for name, limits in scheme.limits.items()},
        library=scheme.library,
        timed_by=None if reference is None else reference.implementation,
        factor=None if reference is None else reference.factor,
        factor_source="" if reference is None else reference.source,
        blocks=scheme.blocks,
        client_side=scheme.client_side,
        rehashes=app.rehashes,
        places=app.places,
        sources=app.sources,
        note=" ".join(filter(None, (app.note, scheme.caution, scheme.note))),
    )
