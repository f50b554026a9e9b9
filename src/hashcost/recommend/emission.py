"""Turn a measurement into the cost to configure in one application. Pure.

An application may run another library, compute several blocks, or accept only some costs. No
cost is recommended that it would refuse or override.
"""

from __future__ import annotations

import datetime as dt
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from hashcost.core.cpu_limit import CpuLimit, format_wait
from hashcost.core.machine import Tool
from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import TOO_NOISY, Profile
from hashcost.core.text import IF_AT_EACH_REQUEST
from hashcost.core.units import format_duration, format_setting
from hashcost.fit.solver import Constraints, Floors, answer
from hashcost.recommend.library_times import in_place, multiple_of
from hashcost.recommend.memory_bounds import memory_bound
from hashcost.strength.policies.policy import reaches

if TYPE_CHECKING:
    from hashcost.apps.interface import App
    from hashcost.apps.references import Reference
    from hashcost.apps.schemes import Scheme


_OPENING: Final = "<?php\n"
_WIDTH: Final = 90
"""Characters of a line of comment."""


class Emission(msgspec.Struct, frozen=True, kw_only=True):
    """The cost to write into an application's configuration."""

    app: App
    scheme: Scheme
    params: Params
    time_seconds: float
    """Estimated time of one hash in the application."""
    is_uncertain: bool
    """Whether the interval of the time is too wide for the cost to be relied upon."""
    target_seconds: float
    reached: bool
    """Whether a cost that the application accepts fits the target, or meets the policy."""
    reasons: tuple[str, ...]
    """Why the cost differs from the one that fits the target, and what was timed for it."""
    is_lowest: bool = False
    """Whether the application accepts no lower cost."""
    minimum_untimed: bool = False
    """Whether no cost was timed that meets the policy's minimum."""
    cpu_limit: CpuLimit | None = None
    """The CPU quota that stops the hash."""

    @property
    def snippet(self) -> str:
        """The text that configures it."""
        return self.app.snippet(self.scheme, self.params)


def emission_for(
    app: App,
    scheme: Scheme,
    measurement: Measurement,
    target_seconds: float,
    floors: Floors | None,
) -> Emission:
    """The strongest cost within the target that the application accepts, or one at the floors.

    Raises:
        UnreachableError: no cost that the application accepts was timed.
    """
    measurement = in_place(measurement, scheme)
    hasher, fitted = measurement.hasher, measurement.fitted
    limit = measurement.fitting(target_seconds)
    place = place_of(scheme)
    # By the same library, but without the application's limits: the answer that they change.
    wanted = answer(hasher, fitted, limit, floors, Constraints(factor=place.factor)).chosen
    # Where no cost meets the policy there, its highest is the answer.
    accepted = accepted_floors(scheme, floors)
    solved = answer(hasher, fitted, limit, accepted, place)
    params = solved.chosen.params
    seconds = place.seconds(solved.chosen)
    used = format_setting(params)
    is_lowest = solved.chosen == solved.lowest and _is_lowest(scheme, params)
    # Some libraries differ more in much memory.
    there = scheme.at(params)
    reasons = [*_about_reference(app, there), *_about_limits(scheme, wanted.params, params)]
    refusal = scheme.refuses(place.nearest(wanted.params))
    if refusal:
        asked = format_setting(wanted.params)
        reasons.append(f"it refuses {asked} ({refusal}), so {used} is used")
    if solved.required is not None or solved.fitting is None:
        minimum = "quickest cost that meets the policy"
        if is_lowest:
            minimum = "lowest cost that it accepts"
        elif solved.required is None and solved.chosen == solved.lowest:
            minimum = "lowest cost that was tried"
        elif _lacks(floors, params):
            minimum = "highest cost that it accepts"
        takes = format_wait(seconds, measurement.cpu_limit)
        target = format_duration(target_seconds)
        reasons.append(f"the {minimum}, {used}, takes {takes}; the target was {target}")
    # Where the application's limits decided, more memory would not change the cost.
    if params == wanted.params:
        bound = memory_bound(measurement, solved, target_seconds)
        if bound is not None:
            reasons.append(f"{bound.message}; {bound.advice}")
    low, high = solved.chosen.curve.relative_interval
    return Emission(
        app=app,
        scheme=there,
        params=params,
        time_seconds=seconds,
        cpu_limit=measurement.cpu_limit,
        is_uncertain=max(1 - low, high - 1) > TOO_NOISY,
        target_seconds=target_seconds,
        reached=solved.required is not None or solved.fitting is not None,
        is_lowest=is_lowest,
        minimum_untimed=_lacks(accepted, params) and _lacks(floors, wanted.params),
        reasons=tuple(reasons),
    )


def _is_lowest(scheme: Scheme, params: Params) -> bool:
    """Tell whether each param has the lowest value that the application accepts."""
    for name, value in params.items():
        limits = scheme.limits.get(name)
        if limits is None or limits.beside(params).nearest(value - 1) < value:
            return False
    return True


def _lacks(floors: Floors | None, params: Params) -> bool:
    """Whether a cost misses the minimums."""
    return floors is not None and not floors.is_met(params)


def accepted_floors(scheme: Scheme, floors: Floors | None) -> Floors | None:
    """The minimums as far as the application accepts them.

    If each alternative is above a limit of the application, the limit takes its place: that is
    the most that the application can do for the policy.
    """
    if floors is None:
        return None
    within = tuple(_within_limits(scheme, least) for least in floors.alternatives)
    # One alternative is within the limits, so the policy can be met.
    if any(least in floors.alternatives for least in within):
        return floors

    def is_met(params: Params) -> bool:
        return floors.is_met(params) or any(reaches(params, least) for least in within)

    return Floors(alternatives=within, is_met=is_met)


def _within_limits(scheme: Scheme, least: Params) -> Params:
    """The params, each at most the highest that the application accepts."""
    within = dict(least)
    for name, limits in scheme.limits.items():
        if name in within:
            within[name] = min(within[name], limits.maximum)
    return within


def place_of(scheme: Scheme) -> Constraints:
    """The costs that an application accepts, and the time of its own library."""

    def factor(params: Params) -> float:
        return multiple_of(scheme.at(params))

    def nearest(params: Params) -> Params:
        accepted = dict(params)
        for name, limits in scheme.limits.items():
            if name in accepted:
                accepted[name] = limits.nearest(accepted[name])
        return accepted

    def refuses(params: Params) -> bool:
        return bool(scheme.refuses(params))

    return Constraints(nearest=nearest, refuses=refuses, factor=factor)


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """When, where and by what the time of a cost was found, as the head of a snippet says it."""

    tool: Tool
    created: dt.datetime
    cpu: str
    """Its model or, if that is unknown, its architecture."""
    cpu_count: int
    cpu_limit: CpuLimit | None
    """The CPU quota of the control group."""
    gives_huge_pages: bool
    """Whether malloc asked for huge pages there."""


def origin_of(profile: Profile, implementation: str) -> Origin:
    """The origin of a time that an implementation took in a profile."""
    machine = profile.machine
    return Origin(
        tool=profile.tool,
        created=profile.created,
        cpu=machine.cpu_model or machine.architecture,
        cpu_count=machine.cpu_count,
        cpu_limit=machine.cpu_limit,
        gives_huge_pages=machine.gives_huge_pages(implementation),
    )


class Emitted(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON of ``calibrate emit`` for one application, or for one of its files."""

    app: str
    title: str
    hasher: str
    implementation: str
    params: Params
    time_seconds: float
    target_seconds: float
    snippet: str
    """The text to configure, with the comment at its head."""
    reasons: tuple[str, ...]
    factor_source: str = ""
    """How the factor was found by which the application's library takes longer or shorter than
    the one that was timed; empty if the application's own was timed."""
    environment: dict[str, str] = {}
    """Environment variables that the service needs for the time to hold."""
    file: str | None = None
    """The file of ``--diff`` or ``--apply``."""
    diff: str | None = None
    """The change to the file, planned or made; empty if it has the cost already."""
    was: tuple[Params, ...] = ()
    """The costs that the file sets before the change."""
    backup: str | None = None
    """The copy of the file before the change."""


def header(emission: Emission, origin: Origin, version: str, floors: Sequence[str]) -> str:
    """The comment at the head of the snippet, in the file's own syntax."""
    tool = origin.tool
    takes = format_wait(emission.time_seconds, emission.cpu_limit)
    target = format_duration(emission.target_seconds)
    # The same figure twice would read like a mistake.
    if target != takes:
        is_within = emission.time_seconds <= emission.target_seconds
        takes = f"{takes} of {target}" if is_within else f"{takes} (the target is {target})"
    library = version
    multiple = multiple_of(emission.scheme)
    if multiple != 1:
        library = f"{version} times {multiple:.3g}"
    cpu = f"{origin.cpu_count} x {origin.cpu}"
    if origin.cpu_limit is not None:
        cpu = f"{cpu}, limited to {origin.cpu_limit}"
    measured = f"{tool.name} {tool.version}, {origin.created:%Y-%m-%d}"
    lines = [
        f"{measured}: {format_setting(emission.params)}",
        f"takes {takes}, by {library}",
        f"on {cpu}",
        *floors,
        *textwrap.wrap(emission.app.caution_of(emission.scheme), _WIDTH),
    ]
    comments = [emission.app.comment.format(_inside(line)) for line in lines]
    return "\n".join(comments) + "\n"


def below_opening(comment: str, snippet: str) -> str:
    """Put a comment at the head of a snippet, but below the line that opens PHP."""
    opening = ""
    if snippet.startswith(_OPENING):
        # PHP would print what stands above it.
        opening = _OPENING
    return f"{opening}{comment}{snippet.removeprefix(opening)}"


def _inside(text: str) -> str:
    """Replace the characters that end a comment in one of the languages."""
    # No text from a profile may end the comment and become configuration.
    for mark in ("*/", "-->", "--", "{", "}", "?>"):
        text = text.replace(mark, " ")
    return text


def _about_reference(app: App, scheme: Scheme) -> list[str]:
    """Say what was timed for the application's library, and what else to know of it."""
    reasons = []
    reference = scheme.reference
    if reference is not None:
        if not reference.is_its_own:
            reasons.append(f"{scheme.library} {_assumed(reference)}")
        elif ":" in reference.implementation:
            reasons.append(f"{scheme.library} was timed itself, as {reference.implementation}")
    # An attacker compares the first block only.
    if scheme.blocks > 1:
        reasons.append(
            f"each hash computes {scheme.blocks} blocks, which costs you {scheme.blocks} times"
            f" as much but an attacker only once"
        )
    if scheme.client_side:
        reasons.append("the client computes the hash at login, at its own speed")
    if app.each_request:
        reasons.append(IF_AT_EACH_REQUEST)
    reasons += filter(None, (app.caution_of(scheme), scheme.note))
    return reasons


def _assumed(reference: Reference) -> str:
    """Say why a library was not timed, and how long it is assumed to take."""
    untimed = "cannot be timed here"
    if reference.runs_in:
        runtime, _, _ = reference.runs_in[0].partition(":")
        untimed = f"was not timed (`--in {runtime}` does that)"
    times = f"{reference.factor:g}"
    if reference.least_factor != reference.factor:
        times = f"{reference.least_factor:g} to {times}"
    factor = f"{times} times as long"
    if times == "1":
        factor = "as long"
    timed = reference.implementation
    if reference.keeps_memory:
        timed = f"{timed} without fresh pages"
    return f"{untimed}; it is assumed to take {factor} as {timed}"


def _about_limits(scheme: Scheme, wanted: Params, params: Params) -> list[str]:
    """Say which limits of the application changed the cost."""
    reasons = []
    for name, value in wanted.items():
        limits = scheme.limits.get(name)
        # The param has the value that was wanted.
        if limits is None or limits.nearest(value) == value:
            continue
        consequence, _ = limits.consequence(value)
        if limits.allowed:
            why = f"accepts only {limits.choices}"
        elif limits.minimum == limits.maximum:
            why = f"accepts only {limits.minimum}"
        elif value < limits.minimum:
            why = f"has a minimum of {limits.minimum} (below it, {consequence})"
        elif value > limits.maximum:
            why = f"has a maximum of {limits.maximum} (above it, {consequence})"
        else:
            why = f"takes only multiples of {limits.step}"
        reasons.append(f"it {why}, so {name} is {params[name]} instead of {value}")
    return reasons


def emit_command(app: App, hasher: str) -> str:
    """Name the command that writes a hasher of an application; empty if it would refuse."""
    scheme = app.scheme(hasher)
    if scheme is None or scheme.reference is None or app.missing(scheme) is not None:
        return ""
    command = f"calibrate emit {app.name}"
    # Without a release it writes the newest one's usual hasher.
    if {hasher} != {app.schemes[0].hasher, app.usual_scheme.hasher}:
        command = f"{command} --hasher {hasher}"
    if scheme.older and app.release is not None:
        command = f"{command} --app-version {app.release}"
    return command
