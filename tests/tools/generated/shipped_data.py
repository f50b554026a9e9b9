"""Tables of the data that is shipped: policies, attackers and applications, with their sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from hashcost.apps.interface import App, Untunable
from hashcost.apps.registry import app_names, load_app
from hashcost.core.measurement import Params
from hashcost.core.units import format_bandwidth, format_bytes, format_setting
from hashcost.render.commands.listings import Listed, apps_document
from hashcost.worth.attackers.device import DEFAULT_DEVICE, Device, device_names, load_device
from hashcost.worth.policies.catalogue import load_policy, policy_names
from hashcost.worth.policies.policy import Policy

from .reference import NOTICE

_MARKED: Final = re.compile(r"([\\*_<>\[\]|`])")


def policies_page() -> str:
    """Every policy with its floors."""
    policies = [load_policy(name) for name in policy_names()]
    return _page(
        "# Policies",
        "What `--policy` compares a cost with. `calibrate policies NAME` prints the same;"
        " [what a cost is worth](strength.md) explains the verdicts and how to write a policy of"
        " your own.",
        *_table(
            ("Policy", "Title", "As of"),
            ((f"[`{p.id}`](#{_slug(p.id)})", _plain(p.title), str(p.date)) for p in policies),
        ),
        *(line for policy in policies for line in _policy(policy)),
    )


def _policy(policy: Policy) -> Iterator[str]:
    yield f"## {policy.id}"
    source = f"[{_plain(policy.source)}]({policy.url})" if policy.url else _plain(policy.source)
    yield f"{_plain(policy.title)}, {policy.date}. Source: {source}."
    facts = (
        f"Allows only {', '.join(policy.approved)}." if policy.approved is not None else "",
        f"Salt: at least {policy.salt_bits} bits." if policy.salt_bits else "",
        f"Output: at least {policy.output_bits} bits." if policy.output_bits else "",
        "For information: it requires nothing." if policy.informative else "",
        _sentence(policy.note),
        _sentence(policy.caution),
    )
    if said := " ".join(filter(None, facts)):
        yield said
    if policy.floors:
        yield from _table(
            ("Hasher", "Usual" if policy.informative else "At least", "Since", "Source"),
            (
                (
                    f.hasher,
                    _cost(f.params) + (" (legacy systems only)" if f.legacy else ""),
                    str(f.date),
                    _plain(f.source),
                )
                for f in policy.floors
            ),
        )


def attackers_page() -> str:
    """Every device with its published speeds."""
    devices = [load_device(name) for name in device_names()]
    return _page(
        "# Attackers",
        f"The devices that `--gpu` names; `{DEFAULT_DEVICE}` is the default. `calibrate gpus NAME`"
        " prints the same; [what a cost is worth](strength.md) explains how speeds are scaled to"
        " another cost.",
        *_table(
            ("Device", "Title", "Memory", "Bandwidth", "Rent an hour"),
            (
                (
                    f"[`{d.id}`](#{_slug(d.id)})",
                    _plain(d.title),
                    format_bytes(d.memory_bytes),
                    format_bandwidth(d.bandwidth.bytes_per_second),
                    f"${d.price.dollars_per_hour:.2f}" if d.price else "none found",
                )
                for d in devices
            ),
        ),
        *(line for device in devices for line in _device(device)),
    )


def _device(device: Device) -> Iterator[str]:
    yield f"## {device.id}"
    moved, rent = device.bandwidth, device.price
    yield f"Bandwidth: {_plain(moved.source)}; {moved.date}."
    if rent is not None:
        yield f"Rent: {_plain(rent.source)}; {rent.date}."
    yield from _table(
        ("Hasher", "Cost", "Guesses a second", "Tool", "Published", "Source"),
        (
            (
                speed.hasher,
                _cost(speed.params),
                f"{speed.guesses_per_second:,.0f}",
                _plain(speed.tool),
                str(speed.date),
                _plain(speed.source),
            )
            for speed in device.speeds
        ),
    )


def applications_page() -> str:
    """Every application with its settings, and those that have none."""
    apps = [load_app(name) for name in app_names()]
    tunable = [app for app in apps if isinstance(app, App)]
    fixed = [app for app in apps if isinstance(app, Untunable)]
    return _page(
        "# Supported applications",
        "The applications and libraries that [`calibrate emit` and `calibrate check --app`]"
        "(applications.md) know. `calibrate apps NAME` prints the same.",
        *_table(
            ("Name", "Application", "Hashers"),
            (
                (
                    f"[`{app.name}`](#{_slug(app.name)})",
                    _plain(app.title),
                    ", ".join(scheme.hasher for scheme in app.schemes),
                )
                for app in tunable
            ),
        ),
        "These have no cost to set; the table at the end of the page says"
        f" [what to do instead](#without-a-cost): {', '.join(_plain(a.title) for a in fixed)}.",
        *(line for app in tunable for line in _application(app)),
        "## Without a cost",
        *_table(
            ("Name", "Application", "What it does", "Instead", "Sources", "Checked"),
            (
                (
                    f"`{app.name}`",
                    *map(_plain, (app.title, app.what, app.instead, "; ".join(app.sources))),
                    str(app.checked),
                )
                for app in fixed
            ),
        ),
    )


def _application(app: App) -> Iterator[str]:
    entries = _listed(app)
    yield f"## {app.name}"
    where = ", ".join(f"`{place}`" for place in app.places)
    told = (
        f"{_plain(app.title)}.",
        f"Read from {where}." if where else "",
        f"Stored hashes follow the setting: {_plain(app.rehashes)}.",
    )
    yield " ".join(filter(None, told))
    yield from _table(
        ("Hasher", "Setting", "Default", "Range", "Hashed by", "Timed here by"),
        (
            (
                entry.hasher or "",
                ", ".join(_plain(key) for key in entry.keys.values()),
                _default(entry),
                ", ".join(_plain(text) for text in entry.limits.values()) or "the library's",
                _plain(entry.library),
                _timed(entry),
            )
            for entry in entries
        ),
    )
    for note in dict.fromkeys(entry.note for entry in entries if entry.note):
        yield _sentence(note)
    yield f"Sources, read {app.checked}: {_plain('; '.join(app.sources))}."


def _listed(app: App) -> tuple[Listed, ...]:
    value = apps_document([app], in_full=True).value
    assert isinstance(value, tuple)
    return tuple(each for each in value if isinstance(each, Listed))


def _default(entry: Listed) -> str:
    if not entry.defaults:
        return "none"
    since, params = entry.defaults[-1]
    return (_cost(params) if params else "none") + (f" (since {_plain(since)})" if since else "")


def _timed(entry: Listed) -> str:
    if entry.timed_by is None:
        return "nothing: no implementation here comes near it"
    factor = entry.factor
    return entry.timed_by + (f" × {factor:.4g}" if factor is not None and factor != 1 else "")


def _cost(params: Params) -> str:
    return f"`{format_setting(params)}`"


def _page(*parts: str) -> str:
    text = "\n\n".join((NOTICE, *parts)) + "\n"
    return re.sub(r"(?m)(^\|.*\n)\n(?=\|)", r"\1", text)


def _table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield _row(titles)
    yield "|" + "---|" * len(titles)
    yield from map(_row, rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()) for cell in cells)} |"


def _plain(text: str) -> str:
    """Text of the data, in which nothing is marked up but code between backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _MARKED.sub(r"\\\1", text)
    return "`".join(
        part if number % 2 else _MARKED.sub(r"\\\1", part) for number, part in enumerate(parts)
    )


def _sentence(text: str) -> str:
    return f"{_plain(text[0].upper() + text[1:].rstrip('.'))}." if text else ""


def _slug(name: str) -> str:
    """The anchor that Markdown gives a heading."""
    return re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")
