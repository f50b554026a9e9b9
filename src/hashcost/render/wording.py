"""The wording of statements that several documents share. Pure."""

from __future__ import annotations

import datetime as dt
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from hashcost.core.machine import Machine, Notice, Tool
from hashcost.core.profile import (
    MEMORY_BOUND,
    AttackerPrice,
    Basis,
    FloorCheck,
    Profile,
    Recommendation,
    Verdict,
)
from hashcost.core.units import (
    format_count,
    format_dollars,
    format_duration,
    format_list,
    format_long,
    format_percent,
    format_setting,
    typed_duration,
)

if TYPE_CHECKING:
    from hashcost.render.document import Scalar
    from hashcost.strength.attackers.device import Device

_TYPED: Final = re.compile(
    r"((?<![a-z-])--[a-z][a-z-]*+(?= [^\s-])|\d(?= (?:[mµn]?s|[KMGT]iB)\b)) "
)
"""An option and its value, or a number and its unit, which belong on one line."""
_JOINED: Final = "\u00a0"
BASES: Final = {
    Basis.MEASURED: "measured",
    Basis.SCALED: "scaled",
    Basis.UPPER_BOUND: "at most",
    Basis.BANDWIDTH: "bandwidth",
}
EXAMPLE: Final = "a random password of 8 lower-case letters"
_EXAMPLE_GUESSES: Final = 26**8 / 2
"""On average."""
VERDICTS: Final = {
    Verdict.MET: "met",
    Verdict.EQUAL_WORK: "equal work",
    Verdict.SHORT: "below",
    Verdict.NOT_APPROVED: "not approved",
    Verdict.NOT_NAMED: "not listed",
}
"""A cost beside a policy's minimum, in a column under the policy's title."""
LEGACY: Final = "only in existing systems"
_MOST_NAMED: Final = 2
"""Hashers that are named beside the library that ran most; more are the others."""
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Dated(Protocol):
    @property
    def until(self) -> dt.date: ...


class _Implemented(Protocol):
    @property
    def implementation(self) -> str: ...


class _Measured(_Implemented, Protocol):
    @property
    def implementation_version(self) -> str: ...


class _Row(_Measured, Protocol):
    @property
    def hasher(self) -> str: ...


_MOST_WITHOUT_MINIMUM: Final = 3
"""Hashers that are named in one sentence."""


def gathered(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Group values by key, so that one statement mentions all of them."""
    groups: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def counted(count: int, one: str, several: str) -> str:
    """A number with its noun, or with other words in singular or plural."""
    return f"{count:,} {one if count == 1 else several}"


def named(names: Sequence[str], most: int = 6) -> str:
    """Names as ``a, b and c``; if there are more than ``most``, the first and how many others."""
    if len(names) <= most:
        return format_list(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"


def without_minimum(rows: Iterable[tuple[str, Iterable[FloorCheck]]]) -> list[str]:
    """Say which policies have no minimum for a hasher, so that nobody takes it as met.

    A row is a hasher with the verdicts of the policies on it.
    """
    hashers: dict[str, dict[str, None]] = {}
    for hasher, checks in rows:
        for check in checks:
            if check.verdict is Verdict.NOT_NAMED:
                hashers.setdefault(check.policy, {})[hasher] = None
    alike = gathered((tuple(names), policy) for policy, names in hashers.items())
    return [
        f"{format_list(policies)} {'has' if len(policies) == 1 else 'have'} no minimum for"
        f" {named(names, _MOST_WITHOUT_MINIMUM)}."
        for names, policies in alike.items()
    ]


def library(row: _Measured) -> str:
    """The library that ran a hasher, with its version."""
    return f"{row.implementation} {row.implementation_version}"


def hashed_by(rows: Iterable[_Row]) -> str:
    """The libraries of these rows with their versions, and which hashers each ran."""
    ran = gathered((library(row), row.hasher) for row in rows)
    if len(ran) == 1:
        return f"Hashed by {next(iter(ran))}"
    *_, most = sorted(ran, key=lambda name: len(ran[name]))
    parts = [f"{name} ({', '.join(ran[name])})" for name in ran if name != most]
    names = ", ".join(ran[most]) if len(ran[most]) <= _MOST_NAMED else "the others"
    return f"Hashed by {format_list([*parts, f'{most} ({names})'])}"


def timed(seconds: float, error: float | None) -> str:
    """A time whose digits line up with those of other rows, and its error."""
    return f"{aligned(seconds)} {plus_minus(error)}"


def known(value: float | None, write: Callable[[float], str]) -> str:
    """A figure, or a dash if it is not known."""
    return "-" if value is None else write(value)


def target_option(seconds: float) -> str:
    """The option that asks for this target, or for hardly more: ``--target 58ms``."""
    return f"--target {typed_duration(seconds)}"


def aligned(seconds: float, mark: str = "") -> str:
    """A duration whose digits line up with those of other rows."""
    return f"{mark + format_duration(seconds):>7}"


def plus_minus(fraction: float | None) -> str:
    """An error: ``±0.9%``, or ``±?`` if unknown."""
    return "±?" if fraction is None else f"±{format_percent(fraction).replace(' ', '')}"


def farther_end(value: float, ends: tuple[float, float]) -> str:
    """The distance from a value to the farther end of its interval: ``±0.9%``."""
    return plus_minus(max(value - ends[0], ends[1] - value) / value)


def with_error(
    seconds: float, ends: tuple[float, float] | None, wait_seconds: float | None = None
) -> str:
    """A duration and its error, if known, after a login's longer wait, if any."""
    text = format_duration(seconds)
    if ends is not None:
        text = f"{text} {farther_end(seconds, ends)}"
    if wait_seconds is None or wait_seconds == seconds:
        return text
    return f"{format_duration(wait_seconds)}; {text} of CPU"


def processors(machine: Machine) -> str:
    """The number and the model of a machine's CPUs."""
    return f"{machine.cpu_count} × {machine.cpu_model or machine.architecture}"


def machine_line(machine: Machine) -> str:
    """The facts of a machine that matter for hashing, on one line."""
    parts = [processors(machine)]
    if machine.cpu_limit is not None:
        parts.append(f"limited to {machine.cpu_limit}")
    parts += machine.cpu_flags
    if machine.virtualization is not None:
        parts.append(machine.virtualization)
    if machine.emulated_on:
        parts.append(f"{machine.architecture} emulated")
    if machine.asks_for_huge_pages:
        parts.append("huge pages")
    return ", ".join(parts)


def place(machine: Machine, tool: Tool, rows: Sequence[_Implemented]) -> tuple[str, str]:
    """Two lines on where and with what these rows were measured.

    This Python and its OpenSSL are left out if every row was hashed in another runtime.
    """
    elsewhere = rows and all(":" in row.implementation for row in rows)
    libraries = () if elsewhere else (machine.python, machine.openssl)
    parts = (*libraries, machine.os, f"{tool.name} {tool.version}")
    return machine_line(machine), ", ".join(filter(None, parts))


def minute(moment: dt.datetime) -> str:
    """When something was measured, in universal time."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M}"


def memory_bounds(row: Recommendation) -> str:
    """Say that memory limits a setting, and how to measure more; empty if it does not."""
    notice = next((notice for notice in row.warnings if notice.code == MEMORY_BOUND), None)
    return "" if notice is None else f"; {notice.message}: {notice.advice}"


def notices(profile: Profile) -> tuple[tuple[Notice, tuple[str, ...]], ...]:
    """Warnings about the run and then about its rows.

    A warning that several rows share appears once, with all their labels.
    """
    rows = profile.recommendations
    of_rows = gathered((notice, row.label) for row in rows for notice in row.warnings)
    concerned = {**dict.fromkeys(profile.warnings, ()), **of_rows}
    return tuple((notice, tuple(dict.fromkeys(labels))) for notice, labels in concerned.items())


def folded(text: str, width: int, indent: str = "  ") -> list[str]:
    """Lines of at most this width, broken only at spaces and never between option and value.

    Only a word that is longer than a line makes it wider; lines after the first are indented.
    """
    lines = textwrap.wrap(
        _TYPED.sub(rf"\1{_JOINED}", text),
        width,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_JOINED, " ") for line in lines]


def within_lines(texts: Iterable[str], most: int) -> Iterator[str]:
    """The first texts that take at most so many lines of 80 columns."""
    for text in texts:
        most -= len(folded(text, 80))
        if most < 0:
            return
        yield text


def standing(check: FloorCheck, of: str = "") -> str:
    """A cost beside a minimum, in words; ``of`` names the policy."""
    floor = f"the minimum of {of}" if of else "the minimum"
    if check.params is not None:
        floor += f" ({format_setting(check.params)})"
    return {
        Verdict.MET: f"meets {floor}",
        Verdict.EQUAL_WORK: f"takes as much work as {floor}",
        Verdict.SHORT: f"below {floor}",
        Verdict.NOT_APPROVED: f"not approved{f' by {of}' if of else ''} at any cost",
        Verdict.NOT_NAMED: "not listed",
    }[check.verdict]


def refusal(policy: str, hashers: Sequence[str]) -> str:
    """That a policy approves of no cost of these hashers."""
    return f"{policy} does not approve {format_list(hashers, 'or')} at any cost"


def often(per_second: float) -> str:
    """``1,438 times a second``, or ``once in 6 minutes`` where it is less than once."""
    if per_second < 1:
        return f"once in {format_long(1 / per_second)}"
    return f"{format_count(per_second)} times a second"


def lasts(price: AttackerPrice) -> str:
    """The time that the example withstands a rate of guesses: ``211 days``."""
    return format_long(_EXAMPLE_GUESSES / price.guesses_per_second)


def guessed(price: AttackerPrice, device: str, *, basis: bool = False) -> str:
    """The rate of a device's guesses, and their price if its rent is known."""
    dollars, hourly = price.dollars_per_2_32_guesses, price.dollars_per_hour
    hours = _EXAMPLE_GUESSES / price.guesses_per_second / 3600
    rent = "" if hourly is None else f" ({format_dollars(hours * hourly)})"
    rests_on = f" ({BASES[price.basis]})" if basis else ""
    money = "" if dollars is None else f", {format_dollars(dollars)} for 2³² guesses"
    return (
        f"{often(price.guesses_per_second)} on one {device}{rests_on}{money};"
        f" {EXAMPLE} lasts on average {lasts(price)}{rent}"
    )


def price_on(device: Device, prices: Iterable[AttackerPrice]) -> AttackerPrice | None:
    """The price on one device, if it is known."""
    return next((price for price in prices if price.device == device.id), None)


def first_price(name: str) -> Callable[[Any], Scalar]:
    """A figure of the price on the first device; nothing if it is unknown."""
    return lambda row: getattr(row.attacker[0], name) if row.attacker else None


def accepted_until(accepted: Sequence[_Dated]) -> str:
    """Until when findings are accepted; of several days, the first."""
    days = sorted({waiver.until for waiver in accepted})
    if len(days) > 1:
        return f"accepted, the first until {days[0]}"
    return f"accepted until {days[0]}" if days else ""
