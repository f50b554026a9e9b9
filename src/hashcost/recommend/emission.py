"""From a recommendation to the cost that one application should be given. Pure.

An application runs another library, pays for several blocks, or accepts some costs
alone; what it would refuse or override is not recommended.
"""

from __future__ import annotations

import textwrap
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from hashcost.core.algorithms import area_time
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Curve, Fit, Measurement, Params
from hashcost.core.profile import Profile, Rounding
from hashcost.core.units import format_duration, format_setting
from hashcost.fit.solver import Floors, Solution, solve
from hashcost.fit.times import setting_at
from hashcost.recommend.library_times import in_place, multiple_of

if TYPE_CHECKING:
    from hashcost.apps.interface import App, Reference, Scheme


_WIDTH: Final = 90
"""Characters of a line of comment."""


@dataclass(frozen=True, kw_only=True)
class Emission:
    """What to write into an application's configuration."""

    app: App
    scheme: Scheme
    params: Params
    time_seconds: float
    """One hash in the application, as far as it can be told."""
    target_seconds: float
    reached: bool
    """Whether something that the application accepts fits the target."""
    reasons: tuple[str, ...]
    """Why the cost is not simply what fits the target, and what the time rests on."""

    @property
    def snippet(self) -> str:
        """The text that configures it."""
        return self.scheme.write(self.params)


def fitting(
    app: App,
    scheme: Scheme,
    measurement: Measurement,
    target_seconds: float,
    floors: Floors | None,
    *,
    multiple: float | None = None,
) -> Emission:
    """The highest cost that fits the target and that the application holds to.

    ``multiple`` is how many times as long it takes as was measured, unless that is
    what the scheme has.

    Raises:
        UnreachableError: nothing legal was timed.
    """
    if multiple is not None:
        return _fitting(app, scheme, measurement, target_seconds, floors, multiple)
    measurement = in_place(measurement, scheme)
    for each in _by_memory(scheme):
        there = multiple_of(each)
        emission = _fitting(app, each, measurement, target_seconds, floors, there)
        if each == scheme.at(emission.params):
            return emission
    highest = multiple_of(scheme)
    return _fitting(app, scheme, measurement, target_seconds, floors, highest)


def _by_memory(scheme: Scheme) -> tuple[Scheme, ...]:
    """The scheme with the factors of each step of memory that has its own, the highest first."""
    reference = scheme.reference
    if reference is None or len(reference.steps) < 2:
        return (scheme,)
    return tuple(
        msgspec.structs.replace(scheme, reference=reference.at(step)) for step in reference.steps
    )


def _fitting(
    app: App,
    scheme: Scheme,
    measurement: Measurement,
    target_seconds: float,
    floors: Floors | None,
    multiple: float,
) -> Emission:
    """The same, by one multiple at any memory."""
    fitted = measurement.fitted
    solution, reached = _solved(measurement, scheme, target_seconds / multiple, floors)
    wanted = solution.params
    params = _held(wanted, scheme)
    refusal = scheme.refuses(params)
    if refusal:
        solution = _taken(fitted, solution, scheme)
        params = _held(solution.params, scheme)
    held = setting_at(measurement, params) or solution
    seconds = held.seconds * multiple
    reasons = [*_about_reference(scheme), *_about_limits(scheme, wanted, params)]
    if refusal:
        reasons.append(
            f"it refuses {format_setting(wanted)} ({refusal}), so {format_setting(params)} is used"
        )
    if not reached:
        reasons.append(
            f"no cost that it accepts takes {format_duration(target_seconds)} or less;"
            f" the lowest takes {format_duration(seconds)}"
        )
    return Emission(
        app=app,
        scheme=scheme,
        params=params,
        time_seconds=seconds,
        target_seconds=target_seconds,
        reached=reached,
        reasons=tuple(reasons),
    )


class Emitted(msgspec.Struct, frozen=True, kw_only=True):
    """What ``calibrate emit --format json`` says of one application, or of one of its files."""

    app: str
    title: str
    hasher: str
    implementation: str
    params: Params
    time_seconds: float
    target_seconds: float
    snippet: str
    """With the comment at its head."""
    reasons: tuple[str, ...]
    file: str | None = None
    """The file of ``--diff`` or ``--apply``."""
    diff: str | None = None
    """What would change in it, or was changed; empty if it has the cost already."""
    backup: str | None = None
    """Where the file is kept as it was."""


def header(emission: Emission, profile: Profile, version: str, floors: Sequence[str]) -> str:
    """The comment at the head of the snippet, in the file's own syntax."""
    tool, machine = profile.tool, profile.machine
    takes = format_duration(emission.time_seconds)
    target = format_duration(emission.target_seconds)
    of = "" if target == takes else f" of {target}"
    measured = f"{tool.name} {tool.version}, {profile.created:%Y-%m-%d}"
    lines = [
        f"{measured}: {format_setting(emission.params)}",
        f"takes {takes}{of}, by {version}{_times(emission)}",
        f"on {machine.cpu_count} x {machine.cpu_model or machine.architecture}",
        *floors,
        *textwrap.wrap(emission.scheme.caution, _WIDTH),
    ]
    comment = emission.app.comment
    return "".join(comment.format(_inside(line)) + "\n" for line in lines)


def _times(emission: Emission) -> str:
    """What the time of one block by the reference is multiplied by, if it is."""
    multiple = multiple_of(emission.scheme)
    return "" if multiple == 1 else f" times {multiple:.3g}"


def _inside(text: str) -> str:
    """Text that ends no comment in any of the languages."""
    for mark in ("*/", "-->", "--", "{", "}", "?>"):
        text = text.replace(mark, " ")
    return text


def _solved(
    measurement: Measurement, scheme: Scheme, target_seconds: float, floors: Floors | None
) -> tuple[Solution, bool]:
    """A setting that the application can be given, and whether it fits."""
    curves = measurement.fitted.curves
    usable = Fit(curves=tuple(each for each in curves if _can_hold(each, scheme)))
    if not usable.curves:
        raise UnreachableError(
            "no cost that the application accepts was timed; run `calibrate emit` without --from"
        )
    strength = area_time(measurement.hasher)
    try:
        return solve(usable, target_seconds, Rounding.DOWN, floors, strength), True
    except UnreachableError:
        first = usable.curves[0]
        return Solution(curve=first, value=first.lowest), False


def _taken(fitted: Fit, solution: Solution, scheme: Scheme) -> Solution:
    """The nearest setting below this one that the application does not refuse.

    Raises:
        UnreachableError: it refuses all that was timed.
    """
    below = [each for each in fitted.curves if each.memory_bytes <= solution.curve.memory_bytes]
    for curve in (each for each in reversed(below) if _can_hold(each, scheme)):
        highest = solution.value
        if curve is not solution.curve:
            highest = solve(Fit(curves=(curve,)), solution.seconds, Rounding.DOWN).value
        legal = range(curve.lowest, highest + 1)
        count = bisect_left(legal, 1, key=lambda value: bool(_refusal(curve, value, scheme)))
        if count:
            return Solution(curve=curve, value=legal[count - 1])
    raise UnreachableError(
        "the application refuses every cost that was timed; choose another --target"
    )


def _refusal(curve: Curve, value: int, scheme: Scheme) -> str:
    return scheme.refuses(_held(curve.at(value), scheme))


def _can_hold(curve: Curve, scheme: Scheme) -> bool:
    """Whether the application can be set to what the curve holds fixed."""
    turned = curve.model.parameter if curve.knob is not None else None
    for name, value in curve.params.items():
        if name == turned:
            continue
        limits = scheme.limits.get(name)
        if limits is not None and limits.nearest(value) != value:
            return False
    return True


def _held(params: Params, scheme: Scheme) -> Params:
    """The params that the application keeps, each the nearest that holds."""
    return {
        name: scheme.limits[name].nearest(value) if name in scheme.limits else value
        for name, value in params.items()
    }


def _about_reference(scheme: Scheme) -> list[str]:
    reasons = []
    reference = scheme.reference
    if reference is not None and not reference.is_its_own:
        least, most = reference.least_factor, reference.factor
        span = f"{most:g}" if least == most else f"{least:g} to {most:g}"
        factor = "as long" if span == "1" else f"{span} times as long"
        kept = " without fresh pages" if reference.keeps_memory else ""
        reasons.append(
            f"{scheme.library} {_not_timed(reference)}; it is assumed to take {factor} as"
            f" {reference.implementation}{kept}: {reference.source}"
        )
    elif reference is not None and ":" in reference.implementation:
        reasons.append(f"{scheme.library} was timed itself, as {reference.implementation}")
    if scheme.blocks > 1:
        reasons.append(
            f"each hash computes {scheme.blocks} blocks, which costs you {scheme.blocks} times"
            f" as much but an attacker only once"
        )
    if scheme.client_side:
        reasons.append("the client computes the hash at login, at its own speed")
    reasons += filter(None, (scheme.caution, scheme.note))
    return reasons


def _not_timed(reference: Reference) -> str:
    if not reference.runs_in:
        return "cannot be timed here"
    runtime = reference.runs_in[0].partition(":")[0]
    return f"was not timed (`--in {runtime}` does that)"


def _about_limits(scheme: Scheme, wanted: Params, params: Params) -> list[str]:
    reasons = []
    for name, value in wanted.items():
        limits = scheme.limits.get(name)
        if limits is None or params[name] == value:
            continue
        consequence, _ = limits.consequence(value)
        if limits.allowed:
            why = f"accepts only {limits.choices}"
        elif value < limits.minimum:
            why = f"has a minimum of {limits.minimum} ({consequence} below)"
        elif value > limits.maximum:
            why = f"has a maximum of {limits.maximum} ({consequence} above)"
        else:
            why = f"takes only multiples of {limits.step}"
        reasons.append(f"it {why}, so {name} is {params[name]} instead of {value}")
    return reasons
