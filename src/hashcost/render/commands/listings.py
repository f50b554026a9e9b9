"""The listings: every hasher, application, policy and device, with sources."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

import msgspec

from hashcost.apps.interface import App, Limits, Scheme, Untunable
from hashcost.core.measurement import Implemented, Knob, Params
from hashcost.core.units import (
    format_bandwidth,
    format_bytes,
    format_count,
    format_pairs,
    format_setting,
)
from hashcost.render.document import Column, Document, Fields, Table, own, records, table
from hashcost.strength.attackers.device import Device, Speed, bandwidth_share
from hashcost.strength.policies.policy import Floor, Policy

_Sourced = TypeVar("_Sourced", Floor, Speed)


class Listing(Implemented, frozen=True, kw_only=True):
    """One hasher on this machine."""

    version: str | None
    available: bool
    reason: str | None
    """Why it is not available."""
    default: bool
    """Whether it runs when no hasher is named."""
    knobs: tuple[Knob, ...]


_HASHER_FIELDS: Final[Fields[Listing]] = {
    **own("hasher", "implementation", "version", "available", "reason", "default"),
    "knobs": lambda listing: " ".join(knob.name for knob in listing.knobs),
    "minimum": lambda listing: " ".join(str(knob.minimum) for knob in listing.knobs),
    "maximum": lambda listing: " ".join(str(knob.maximum) for knob in listing.knobs),
}


def hashers_document(listings: tuple[Listing, ...]) -> Document:
    """A row per hasher and implementation."""

    def joined(texts: Iterable[str]) -> str:
        return ", ".join(texts) or "-"

    def here(listing: Listing) -> str:
        usable = "default" if listing.default else "yes"
        return usable if listing.available else "no"

    rows = table(
        listings,
        (Column("hasher"), lambda listing: listing.label),
        (Column("version", flexible=True), lambda listing: listing.version or "-"),
        (Column("knob", flexible=True), lambda row: joined(knob.name for knob in row.knobs)),
        (
            Column("range", flexible=True),
            lambda row: joined(f"{knob.minimum}..{knob.maximum}" for knob in row.knobs),
        ),
        (Column("here"), here),
    )
    return Document(
        tables=(rows,),
        foot=tuple(
            f"{listing.label}: {listing.reason}" for listing in listings if not listing.available
        ),
        records=records(listings, _HASHER_FIELDS),
        value=listings,
    )


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


_APP_FIELDS: Final[Fields[Listed]] = {
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
    if in_full:
        shown = table(
            listed,
            (Column("app"), lambda entry: entry.app),
            (Column("hasher"), lambda entry: entry.hasher or "-"),
            (Column("setting", flexible=True), lambda e: ", ".join(e.keys.values()) or "none"),
            (Column("default", flexible=True), _newest_default),
            (Column("range", flexible=True), lambda e: ", ".join(e.limits.values()) or "-"),
        )
        notes = tuple(map(_note, sorted(apps, key=lambda app: isinstance(app, Untunable))))
    else:
        shown = table(
            apps,
            (Column("app"), lambda app: app.name),
            (Column("name"), lambda app: app.title),
            (Column("hashers", flexible=True), _hashers),
        )
        notes = ("`calibrate list apps NAME` shows an application's settings.",)
    return Document(
        tables=(shown,), notes=notes, records=records(listed, _APP_FIELDS), value=listed
    )


def _hashers(app: App | Untunable) -> str:
    schemes = app.schemes if isinstance(app, App) else ()
    return ", ".join(scheme.hasher for scheme in schemes) or "no cost to set"


def _note(app: App | Untunable) -> str:
    if isinstance(app, Untunable):
        return f"{app.title} has no cost to set: {app.what}. {app.instead}"
    return f"{app.title}: stored hashes follow the setting: {app.rehashes}."


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
        defaults=tuple((default.since, default.params) for default in scheme.defaults),
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
        note="; ".join(
            note.rstrip(".") for note in (app.note, scheme.caution, scheme.note) if note
        ),
    )


def _sourced_table(
    shown: Sequence[_Sourced],
    *columns: tuple[Column, Callable[[_Sourced], str]],
    title: Iterable[str],
    dated: str = "published",
) -> Table:
    """A table that ends with the date and the numbered source of each row.

    The sources are below the title.
    """
    sources = dict.fromkeys(row.source for row in shown)
    marks: dict[str, str] = {source: f"[{number}]" for number, source in enumerate(sources, 1)}
    return table(
        shown,
        *columns,
        (Column(dated), lambda row: f"{row.date} {marks[row.source]}"),
        title="\n".join((*title, *(f"{mark} {source}" for source, mark in marks.items()))),
    )


_FLOORS: Final[Fields[tuple[Policy, Floor]]] = {
    "policy": lambda row: row[0].id,
    "title": lambda row: row[0].title,
    "hasher": lambda row: row[1].hasher,
    "params": lambda row: format_pairs(row[1].params),
    "legacy": lambda row: row[1].legacy,
    "informative": lambda row: row[0].informative,
    "date": lambda row: str(row[1].date),
    "source": lambda row: row[1].source,
    "url": lambda row: row[0].url,
}


def policies_document(policies: Sequence[Policy], *, in_full: bool) -> Document:
    """A row per policy, or ``in_full`` a table for each; the records are whole either way."""
    if in_full:
        tables = [_minimums(policy) for policy in policies if policy.floors]
        notes = ["; ".join(_about(policy)) for policy in policies if not policy.floors]
    else:
        overview = table(
            policies,
            (Column("policy"), lambda policy: policy.id),
            (Column("as of"), lambda policy: str(policy.date)),
            (Column("title", flexible=True), lambda policy: policy.title),
        )
        tables = [overview]
        notes = [f"{policy.id}: {policy.url or policy.source}" for policy in policies]
        notes.append("`calibrate list policies NAME` shows a policy's minimums.")
    return Document(
        tables=tuple(tables),
        notes=tuple(notes),
        records=records(
            ((policy, floor) for policy in policies for floor in policy.floors), _FLOORS
        ),
        value=tuple(policies),
    )


def _about(policy: Policy) -> list[str]:
    lines = (
        f"{policy.id}: {policy.title}, {policy.date}",
        policy.url or policy.source,
        "" if policy.approved is None else f"approves only {', '.join(policy.approved)}",
        f"a salt of at least {policy.salt_bits} bits" if policy.salt_bits else "",
        f"an output of at least {policy.output_bits} bits" if policy.output_bits else "",
        policy.note,
        policy.caution,
    )
    return [line for line in lines if line]


def _minimums(policy: Policy) -> Table:
    least = Column("usual" if policy.informative else "at least", flexible=True)
    return _sourced_table(
        policy.floors,
        (Column("hasher"), lambda floor: floor.hasher),
        (least, lambda f: format_setting(f.params) + (" (legacy only)" if f.legacy else "")),
        dated="since",
        title=_about(policy),
    )


_SPEEDS: Final[Fields[tuple[Device, Speed]]] = {
    "gpu": lambda row: row[0].id,
    "hasher": lambda row: row[1].hasher,
    "params": lambda row: format_pairs(row[1].params),
    "guesses_per_second": lambda row: row[1].guesses_per_second,
    "tool": lambda row: row[1].tool,
    "date": lambda row: str(row[1].date),
    "source": lambda row: row[1].source,
    "mode": lambda row: row[1].mode,
    "dollars_per_hour": lambda row: row[0].price.dollars_per_hour if row[0].price else None,
    "bandwidth_bytes_per_second": lambda row: row[0].bandwidth.bytes_per_second,
    "bandwidth_share": lambda row: bandwidth_share(*row),
}


def gpus_document(devices: Sequence[Device], *, in_full: bool) -> Document:
    """A row per device, or ``in_full`` a table for each; the records are whole either way."""
    overview = table(
        devices,
        (Column("gpu"), lambda device: device.id),
        (Column("name", flexible=True), lambda device: device.title),
        (Column("memory", right=True), lambda device: format_bytes(device.memory_bytes)),
        (
            Column("bandwidth", right=True),
            lambda device: format_bandwidth(device.bandwidth.bytes_per_second),
        ),
        (
            Column("$/hour", right=True),
            lambda d: "-" if d.price is None else f"{d.price.dollars_per_hour:.2f}",
        ),
        (Column("speeds", right=True), lambda device: str(len(device.speeds))),
    )
    return Document(
        tables=tuple(map(_speeds, devices)) if in_full else (overview,),
        notes=() if in_full else ("`calibrate list gpus NAME` has its speeds and the sources.",),
        records=records(
            ((device, speed) for device in devices for speed in device.speeds), _SPEEDS
        ),
        value=tuple(devices),
    )


def _speeds(device: Device) -> Table:
    rent, moved = device.price, device.bandwidth
    return _sourced_table(
        device.speeds,
        (Column("hasher"), lambda speed: speed.hasher),
        (Column("cost", flexible=True), lambda speed: format_setting(speed.params)),
        (Column("guesses/s", right=True), lambda speed: format_count(speed.guesses_per_second)),
        (Column("by"), lambda speed: speed.tool),
        title=(
            f"{device.id}: {device.title}, {format_bytes(device.memory_bytes)}",
            "rent unknown"
            if rent is None
            else f"${rent.dollars_per_hour:.2f} an hour, {rent.source}, {rent.date}",
            f"{format_bandwidth(moved.bytes_per_second)}, {moved.source}, {moved.date}",
        ),
    )
