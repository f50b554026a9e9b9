"""The listings: every hasher, application, policy and device, with sources."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from hashcost.apps.interface import App
from hashcost.apps.schemes import Limits, Scheme
from hashcost.apps.untunable import Untunable
from hashcost.core.measurement import Implemented, Knob, Params
from hashcost.core.units import format_bandwidth, format_bytes, format_count, format_setting
from hashcost.render.document import Column, Document, Fields, Row, Table, own, records, table
from hashcost.strength.attackers.device import Device, Speed, bandwidth_share
from hashcost.strength.policies.policy import Floor, Policy

_Sourced: TypeAlias = Sequence[Floor | Speed]


class Listing(Implemented, frozen=True, kw_only=True):
    """One hasher on this machine."""

    version: str | None
    available: bool
    reason: str | None
    """Why it is not available."""
    default: bool
    """Whether it runs when no hasher is named."""
    knobs: tuple[Knob, ...]


_HASHER_FIELDS: Final[Fields] = {
    **own("hasher", "implementation", "version", "available", "reason", "default"),
    "knobs": lambda listing: [knob.name for knob in listing.knobs],
    "minimum": lambda listing: [str(knob.minimum) for knob in listing.knobs],
    "maximum": lambda listing: [str(knob.maximum) for knob in listing.knobs],
}


def hashers_document(listings: tuple[Listing, ...]) -> Document:
    """A row per hasher and implementation."""
    columns = (
        Column("hasher"),
        Column("version", flexible=True),
        Column("knob", flexible=True),
        Column("range", flexible=True),
        Column("here"),
    )
    cells = []
    for listing in listings:
        here = "no"
        if listing.available and listing.default:
            here = "default"
        elif listing.available:
            here = "yes"
        names = ", ".join(knob.name for knob in listing.knobs) or "-"
        ranges = ", ".join(f"{knob.minimum}..{knob.maximum}" for knob in listing.knobs) or "-"
        cells.append((listing.label, listing.version or "-", names, ranges, here))
    reasons = [f"{one.label}: {one.reason}" for one in listings if not one.available]
    return Document(
        tables=(table(columns, cells),),
        foot=tuple(reasons),
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


_APP_FIELDS: Final[Fields] = {
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
    listed: list[Listed] = []
    for app in apps:
        listed += _entries(app)
    notes = ["`calibrate list apps NAME` shows an application's settings."]
    if in_full:
        shown = _settings_table(listed)
        # The applications without a cost are named last.
        notes = [_note(app) for app in sorted(apps, key=lambda app: isinstance(app, Untunable))]
    else:
        columns = (Column("app"), Column("name"), Column("hashers", flexible=True))
        shown = table(columns, [(app.name, app.title, _hashers(app)) for app in apps])
    return Document(
        tables=(shown,),
        notes=tuple(notes),
        records=records(listed, _APP_FIELDS),
        value=tuple(listed),
    )


def _settings_table(listed: Sequence[Listed]) -> Table:
    """Each scheme with the names of its settings, its newest default and its range."""
    columns = (
        Column("app"),
        Column("hasher"),
        Column("setting", flexible=True),
        Column("default", flexible=True),
        Column("range", flexible=True),
    )
    cells = []
    for entry in listed:
        keys = ", ".join(entry.keys.values()) or "none"
        limits = ", ".join(entry.limits.values()) or "-"
        cells.append((entry.app, entry.hasher or "-", keys, _newest_default(entry), limits))
    return table(columns, cells)


def _hashers(app: App | Untunable) -> str:
    if isinstance(app, Untunable):
        return "no cost in its configuration"
    return ", ".join(scheme.hasher for scheme in app.schemes)


def _note(app: App | Untunable) -> str:
    if isinstance(app, Untunable):
        return app.says()
    if app.keeps_hashes:
        but = app.rehashes.removeprefix("never")
        return f"{app.title}: stored hashes never follow the setting{but}."
    return f"{app.title}: stored hashes follow the setting {app.rehashes}."


def _newest_default(entry: Listed) -> str:
    if not entry.defaults:
        return "-"
    since, params = entry.defaults[-1]  # They are in the order of releases.
    if not params:
        return "-"
    if not since:
        return format_setting(params)
    return f"{format_setting(params)} ({since})"


def _entries(app: App | Untunable) -> list[Listed]:
    if isinstance(app, App):
        return [_entry(app, scheme) for scheme in app.schemes]
    note, sources = app.instead, app.all_sources
    return [
        Listed(app=app.name, title=app.title, library=app.what_of_all, note=note, sources=sources)
    ]


def _range(limits: Limits) -> str:
    if limits.allowed:
        return limits.choices
    if limits.step > 1:
        return f"{limits.minimum}..{limits.maximum} by {limits.step}"
    return f"{limits.minimum}..{limits.maximum}"


def _ranges(scheme: Scheme) -> dict[str, str]:
    """Tell the range of each param, in the order of the settings that they are shown beside."""
    names = dict.fromkeys((*scheme.keys, *scheme.limits))
    return {name: _range(scheme.limits[name]) for name in names if name in scheme.limits}


def _entry(app: App, scheme: Scheme) -> Listed:
    notes = [note.rstrip(".") for note in (app.note, app.caution_of(scheme), scheme.note) if note]
    entry = Listed(
        app=app.name,
        title=app.title,
        hasher=scheme.hasher,
        keys=dict(scheme.keys),
        defaults=tuple((default.since, default.params) for default in scheme.defaults),
        limits=_ranges(scheme),
        library=scheme.library,
        blocks=scheme.blocks,
        client_side=scheme.client_side,
        rehashes=app.rehashes,
        places=app.places,
        sources=app.sources,
        note="; ".join(notes),
    )
    reference = scheme.reference
    if reference is None:
        return entry  # Nothing here is similar enough to be timed in its place.
    return replace(
        entry,
        timed_by=reference.implementation,
        factor=reference.factor,
        factor_source=reference.source,
    )


def _sourced_table(
    shown: _Sourced, columns: Sequence[Column], cells: Iterable[Row], title: list[str]
) -> Table:
    """A table whose last column has the date and the numbered source of each row.

    The sources are below the title; ``columns`` has the last one, ``cells`` has no cell of it.
    """
    numbers: dict[str, int] = {}
    rows = []
    for row, own_cells in zip(shown, cells, strict=True):
        # Rows with one source share its number.
        number = numbers.setdefault(row.source, len(numbers) + 1)
        rows.append((*own_cells, f"{row.date} [{number}]"))
    lines = [f"[{number}] {source}" for source, number in numbers.items()]
    return table(columns, rows, "\n".join(title + lines))


_FLOORS: Final = {
    "policy": "0.id",
    "title": "0.title",
    "hasher": "1.hasher",
    "params": "1.params",
    "legacy": "1.legacy",
    "informative": "0.informative",
    "date": "1.date",
    "source": "1.source",
    "url": "0.url",
}


def policies_document(policies: Sequence[Policy], *, in_full: bool) -> Document:
    """A row per policy, or ``in_full`` a table for each; the records are whole either way."""
    tables = []
    notes = []
    if in_full:
        for policy in policies:
            if policy.floors:
                tables.append(_minimums(policy))
            else:
                # Without a minimum there is no table whose title could say it.
                notes.append("; ".join(_about(policy)))
    else:
        columns = (Column("policy"), Column("as of"), Column("title", flexible=True))
        cells = [(policy.id, str(policy.date), policy.title) for policy in policies]
        tables.append(table(columns, cells))
        notes = [f"{policy.id}: {policy.url or policy.source}" for policy in policies]
        notes.append("`calibrate list policies NAME` shows a policy's minimums.")
    floors = []
    for policy in policies:
        floors += [(policy, floor) for floor in policy.floors]
    return Document(
        tables=tuple(tables),
        notes=tuple(notes),
        records=records(floors, _FLOORS),
        value=tuple(policies),
    )


def _about(policy: Policy) -> list[str]:
    lines = [f"{policy.id}: {policy.title}, {policy.date}", policy.url or policy.source]
    if policy.approved is not None:
        lines.append(f"approves only {', '.join((*policy.approved, *policy.alike))}")
    if policy.salt_bits:
        lines.append(f"a salt of at least {policy.salt_bits} bits")
    if policy.output_bits:
        lines.append(f"an output of at least {policy.output_bits} bits")
    lines += [policy.note, policy.caution]
    return [line for line in lines if line]


def _minimums(policy: Policy) -> Table:
    least = "usual" if policy.informative else "at least"
    columns = (Column("hasher"), Column(least, flexible=True), Column("since"))
    cells = []
    for floor in policy.floors:
        setting = format_setting(floor.params)
        if floor.legacy:
            setting += " (legacy only)"
        cells.append((floor.hasher, setting))
    return _sourced_table(policy.floors, columns, cells, _about(policy))


_SPEEDS: Final[Fields] = {
    "gpu": "0.id",
    "hasher": "1.hasher",
    "params": "1.params",
    "guesses_per_second": "1.guesses_per_second",
    "tool": "1.tool",
    "date": "1.date",
    "source": "1.source",
    "mode": "1.mode",
    "dollars_per_hour": "0.price.dollars_per_hour",
    "bandwidth_bytes_per_second": "0.bandwidth.bytes_per_second",
    "bandwidth_share": lambda row: bandwidth_share(*row),
}


def gpus_document(devices: Sequence[Device], *, in_full: bool) -> Document:
    """A row per device, or ``in_full`` a table for each; the records are whole either way."""
    speeds = []
    for device in devices:
        speeds += [(device, speed) for speed in device.speeds]
    if in_full:
        tables = [_speeds(device) for device in devices]
        notes = []
    else:
        tables = [_overview(devices)]
        notes = ["`calibrate list gpus NAME` has its speeds and the sources."]
    return Document(
        tables=tuple(tables),
        notes=tuple(notes),
        records=records(speeds, _SPEEDS),
        value=tuple(devices),
    )


def _overview(devices: Sequence[Device]) -> Table:
    columns = (
        Column("gpu"),
        Column("name", flexible=True),
        Column("memory", right=True),
        Column("bandwidth", right=True),
        Column("$/hour", right=True),
        Column("speeds", right=True),
    )
    cells = []
    for device in devices:
        memory = format_bytes(device.memory_bytes)
        bandwidth = format_bandwidth(device.bandwidth.bytes_per_second)
        rent = "-"
        if device.price is not None:
            rent = f"{device.price.dollars_per_hour:.2f}"
        count = str(len(device.speeds))
        cells.append((device.id, device.title, memory, bandwidth, rent, count))
    return table(columns, cells)


def _speeds(device: Device) -> Table:
    title = [f"{device.id}: {device.title}, {format_bytes(device.memory_bytes)}"]
    rent = device.price
    if rent is None:
        title.append("rent unknown")
    else:
        title.append(f"${rent.dollars_per_hour:.2f} an hour, {rent.source}, {rent.date}")
    moved = device.bandwidth
    title.append(f"{format_bandwidth(moved.bytes_per_second)}, {moved.source}, {moved.date}")
    columns = (
        Column("hasher"),
        Column("cost", flexible=True),
        Column("guesses/s", right=True),
        Column("by"),
        Column("published"),
    )
    cells = []
    for speed in device.speeds:
        rate = format_count(speed.guesses_per_second)
        cells.append((speed.hasher, format_setting(speed.params), rate, speed.tool))
    return _sourced_table(device.speeds, columns, cells, title)
