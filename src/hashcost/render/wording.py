"""The wording of statements that several documents share. Pure."""

from __future__ import annotations

import datetime as dt
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from hashcost.core.machine import Machine, Notice, Tool
from hashcost.core.profile import (
    MEMORY_BOUND,
    AttackerPrice,
    Basis,
    Failure,
    FloorCheck,
    Profile,
    Recommendation,
    Verdict,
    policies_with,
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
from hashcost.strength.policies.policy import asking_of, assess_all

if TYPE_CHECKING:
    from hashcost.checks.judgement import Accepted, Judgement
    from hashcost.core.measurement import Implemented, Params, TimedHasher
    from hashcost.logins.model import Capacity, CapacityRow
    from hashcost.machines.model import MachineRow
    from hashcost.recommend.sweeping import SweepRow
    from hashcost.strength.attackers.device import Device
    from hashcost.strength.policies.policy import Policy

_UNITS: Final = r"(?:[mµn]?s|[KMGT]iB|logins/[a-z]+|(?:second|minute|hour|day|month|year)s?)\b"
_TYPED: Final = re.compile(rf"((?<![a-z-])--[a-z][a-z-]*+(?= [^\s-])|\d(?= (?:%|{_UNITS}))) ")
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


_MOST_WITHOUT_MINIMUM: Final = 3
"""Hashers that are named in one sentence."""


def gathered(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Group values by key, each once, so that one statement mentions all of them."""
    groups: dict[_Key, list[_Value]] = {}  # In the order in which the keys come.
    for key, value in pairs:
        values = groups.setdefault(key, [])
        if value not in values:
            values.append(value)
    return groups


def listed(names: Iterable[str], joined: str = "and") -> str:
    """Names as ``a, b and c``, each once."""
    return format_list([*dict.fromkeys(names)], joined)


def failures_told(profile: Profile) -> Iterator[str]:
    """The reason of each failure; of several hashers that a library lacks for one, only once."""
    together: dict[tuple[str, str], list[Failure]] = {}
    for row in profile.failures:
        together.setdefault((row.implementation, row.error), []).append(row)
    for (implementation, error), rows in together.items():
        if len(rows) == 1:
            yield from map(str, rows)
        else:
            yield f"{implementation} ({listed(row.hasher for row in rows)}): {error}"


def counted(count: int, one: str, several: str) -> str:
    """A number with its noun, or with other words in singular or plural."""
    if count == 1:
        return f"1 {one}"
    return f"{count:,} {several}"


def named(names: Sequence[str], most: int = 6) -> str:
    """Names as ``a, b and c``; if there are more than ``most``, the first and how many others."""
    if len(names) <= most:
        return format_list(names)
    # The last place goes to the number of the others, which are at least two.
    first = names[: most - 1]
    return f"{', '.join(first)} and {len(names) - len(first)} others"


def without_minimum(rows: Iterable[tuple[str, Iterable[FloorCheck]]]) -> list[str]:
    """Say which policies have no minimum for a hasher, so that nobody takes it as met.

    A row is a hasher with the verdicts of the policies on it.
    """
    pairs = []
    for hasher, checks in rows:
        pairs += [(policy, hasher) for policy in policies_with(checks, Verdict.NOT_NAMED)]
    # Policies that lack the same hashers share a sentence.
    alike = gathered((tuple(names), policy) for policy, names in gathered(pairs).items())
    sentences = []
    for names, policies in alike.items():
        has = "have"
        if len(policies) == 1:
            has = "has"
        lacking = named(names, _MOST_WITHOUT_MINIMUM)
        sentences.append(f"{format_list(policies)} {has} no minimum for {lacking}.")
    return sentences


def library(row: TimedHasher | SweepRow | MachineRow | Capacity | CapacityRow | Judgement) -> str:
    """The library that ran a hasher, with its version."""
    return f"{row.implementation} {row.implementation_version}"


def hashed_by(rows: Iterable[Recommendation]) -> str:
    """The libraries of these rows with their versions, and which hashers each ran."""
    ran = gathered((library(row), row.hasher) for row in rows)
    if len(ran) == 1:
        return f"Hashed by {format_list([*ran])}"
    # The library that ran most stands last, as that of "the others".
    *_, main = sorted(ran, key=lambda name: len(ran[name]))
    hashers = ran.pop(main)
    if len(hashers) > _MOST_NAMED:
        hashers = ["the others"]
    ran[main] = hashers
    parts = [f"{name} ({', '.join(hashers)})" for name, hashers in ran.items()]
    return f"Hashed by {format_list(parts)}"


def timed(seconds: float, error: float | None) -> str:
    """A time whose digits line up with those of other rows, and its error."""
    return f"{aligned(seconds)} {plus_minus(error)}"


def known(value: float | None, write: Callable[[float], str]) -> str:
    """A figure, or a dash if it is not known."""
    if value is None:
        return "-"
    return write(value)


def target_option(seconds: float) -> str:
    """The option that asks for this target, or for hardly more: ``--target 58ms``."""
    return f"--target {typed_duration(seconds)}"


def aligned(seconds: float, mark: str = "") -> str:
    """A duration whose digits line up with those of other rows."""
    return f"{mark + format_duration(seconds):>7}"


def plus_minus(fraction: float | None) -> str:
    """An error: ``±0.9%``, or ``±?`` if unknown."""
    if fraction is None:
        return "±?"
    return f"±{format_percent(fraction).replace(' ', '')}"


def farther_end(value: float, ends: tuple[float, float]) -> str:
    """The distance from a value to the farther end of its interval: ``±0.9%``."""
    low, high = ends
    return plus_minus(max(value - low, high - value) / value)


def with_error(
    seconds: float, ends: tuple[float, float] | None, wait_seconds: float | None = None
) -> str:
    """A duration and its error, if known, after a login's longer wait, if any."""
    text = format_duration(seconds)
    if ends is not None:
        text = f"{text} {farther_end(seconds, ends)}"
    # Under a quota a login waits while its group may not run.
    if wait_seconds is None or wait_seconds == seconds:
        return text
    return f"{format_duration(wait_seconds)}; {text} of CPU"


def time_of(row: Judgement | MachineRow, untimed: str) -> str:
    """The time of a row with its error, or ``untimed`` if it was not timed."""
    if row.time_seconds is None:
        return untimed
    return with_error(row.time_seconds, row.interval_seconds, row.wait_seconds)


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
    # An emulator has its own speed, so the figures hold for no real machine.
    if machine.emulated_on:
        parts.append(f"{machine.architecture} emulated")
    if machine.asks_for_huge_pages:
        parts.append("huge pages")
    return ", ".join(parts)


def place(
    machine: Machine, tool: Tool, rows: Sequence[Implemented | Capacity | CapacityRow]
) -> tuple[str, str]:
    """Two lines on where and with what these rows were measured.

    This Python and its OpenSSL are left out if every row was hashed in another runtime.
    """
    parts = [machine.os, f"{tool.name} {tool.version}"]
    # The name of an implementation in another runtime begins with the runtime: "node:crypto".
    if not rows or any(":" not in row.implementation for row in rows):
        parts = [machine.python, machine.openssl, *parts]
    return machine_line(machine), ", ".join(filter(None, parts))


def minute(moment: dt.datetime) -> str:
    """When something was measured, in universal time."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M}"


def memory_bounds(row: Recommendation) -> str:
    """Say that memory limits a setting, and how to measure more; empty if it does not."""
    for notice in row.warnings:
        if notice.code == MEMORY_BOUND:
            return f"{notice.message}: {notice.advice}"
    return ""


def notices(profile: Profile) -> list[tuple[Notice, list[str]]]:
    """Warnings about the run and then about its rows.

    A warning that several rows share appears once, with all their labels.
    """
    concerned: dict[Notice, list[str]] = {notice: [] for notice in profile.warnings}
    for row in profile.recommendations:
        for notice in row.warnings:
            labels = concerned.setdefault(notice, [])
            if row.label not in labels:
                labels.append(row.label)
    return list(concerned.items())


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
    """A cost beside what a policy sets, in words; ``of`` names the policy."""
    floor = f"the {check.figure}"
    by = ""
    if of:
        floor = f"the {check.figure} of {of}"
        by = f" by {of}"
    if check.params is not None:
        floor += f" ({format_setting(check.params)})"
    match check.verdict:
        case Verdict.MET:
            return f"meets {floor}"
        case Verdict.EQUAL_WORK:
            return f"takes at least the work of {floor}"
        case Verdict.SHORT:
            return f"below {floor}"
        case Verdict.NOT_APPROVED:
            return f"not approved{by} at any cost"
        case Verdict.NOT_NAMED:
            return "not listed"


def elsewhere(hasher: str, params: Params, others: Iterable[Policy]) -> str:
    """Say which other policies a cost meets and misses: ``meets fips and misses owasp``."""
    checks = assess_all(asking_of(others), hasher, params)
    by_standing = gathered((check.met, check.policy) for check in checks if check.params)
    parts = []
    for is_met, verb in ((True, "meets"), (False, "misses")):
        if is_met in by_standing:
            parts.append(f"{verb} {format_list(by_standing[is_met])}")
    return " and ".join(parts)


def refusal(policy: str, hashers: Sequence[str]) -> str:
    """That a policy approves of no cost of these hashers."""
    return f"{policy} does not approve {listed(hashers, 'or')} at any cost"


def often(per_second: float) -> str:
    """``1,438 times a second``, or ``once in 6 minutes`` where it is less than once."""
    # A rate below one a second is easier to grasp as a time.
    if per_second < 1:
        return f"once in {format_long(1 / per_second)}"
    return f"{format_count(per_second)} times a second"


def crack_time(price: AttackerPrice) -> str:
    """The time that the example withstands a rate of guesses: ``211 days``."""
    return format_long(_EXAMPLE_GUESSES / price.guesses_per_second)


def guessed(price: AttackerPrice, device: str, *, basis: bool = False) -> str:
    """The rate of a device's guesses, and their price if its rent is known.

    ``device`` is its title; with ``basis``, the sentence says what the rate rests on.
    """
    text = f"{often(price.guesses_per_second)} on one {device}"
    if basis:
        text += f" ({BASES[price.basis]})"
    if price.dollars_per_2_32_guesses is not None:
        text += f", {format_dollars(price.dollars_per_2_32_guesses)} for 2³² guesses"
    text += f"; {EXAMPLE} lasts on average {crack_time(price)}"
    if price.dollars_per_hour is not None:
        hours = _EXAMPLE_GUESSES / price.guesses_per_second / 3600
        text += f" ({format_dollars(hours * price.dollars_per_hour)})"
    return text


def price_on(device: Device, prices: Iterable[AttackerPrice]) -> AttackerPrice | None:
    """The price on one device, if it is known."""
    for price in prices:
        if price.device == device.id:
            return price
    return None


def accepted_until(accepted: Iterable[Accepted]) -> str:
    """Until when findings are accepted; of several days, the first."""
    days = sorted({waiver.until for waiver in accepted})
    if not days:
        return ""
    if len(days) > 1:
        return f"accepted, the first until {days[0]}"
    return f"accepted until {days[0]}"
