"""Everything that is known of one stored hash or one cost. Pure."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import asdict, replace

from hashcost.apps.interface import App
from hashcost.checks.audit import floor_checks, has_cost, is_broken
from hashcost.checks.check import hashers_instead, measurement_for, sweep_for
from hashcost.checks.judgement import Configured
from hashcost.checks.programs import (
    USUAL,
    only_program,
    programs_of,
    set_again,
    usual_of,
    without_setting,
)
from hashcost.core.algorithms import MAXMEM
from hashcost.core.machine import Machine, Tool
from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import AttackerPrice, FloorCheck, Profile
from hashcost.core.units import format_setting
from hashcost.fit.times import params_timed_otherwise, setting_at
from hashcost.recommend.emission import emit_command
from hashcost.stored.formats.reading import HashReading, Kind
from hashcost.strength.attackers.device import Device, prices
from hashcost.strength.policies.policy import Policy

EXPLANATION_SCHEMA_VERSION: Final = 1
"""Version of the explanation's JSON."""

_TIME_HERE: Final = "leave --profile out to time it here"


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The algorithm, time and worth of one hash or cost."""

    schema: int
    tool: Tool
    kind: Kind
    format: str | None
    """`None` for a bare cost."""
    hasher: str | None
    params: Params
    blocks: int
    client_side: bool
    notes: tuple[str, ...]
    implementation: str | None
    implementation_version: str | None
    machine: Machine | None
    time_seconds: float | None
    """One hash, all of its blocks."""
    untimed: str | None
    """Why a cost has no time."""
    interval_seconds: tuple[float, float] | None
    floors: tuple[FloorCheck, ...]
    attacker: tuple[AttackerPrice, ...]
    is_broken: bool = False
    """Whether no cost makes it strong: a digest, or an outdated password hash."""
    refused: str = ""
    """Why no library takes the cost, and no hash has it; empty if one may."""
    also_set: dict[str, int] = {}
    """The settings without which OpenSSL, in Python's hashlib and in Node, refuses the cost."""
    is_rehashed: bool = True
    """Whether its program can hash a password anew when the user logs in; not if only the client
    has it then, or if the program never does."""
    kept_by: tuple[str, ...] = ()
    """The titles of the known programs that write the format and never hash anew at a login."""
    move_to: tuple[str, ...] = ()
    """Hashers for new systems; where policies approve only some, of these the quickest that was
    timed; where only one program writes the format, those that it has."""
    lacked_by: str | None = None
    """The title of the only program that writes the format, if it lacks them all."""
    instead: str | None = None
    """The advice if only one program writes the format, and no cost can be set there, or others
    read what it writes."""
    emitted_by: str | None = None
    """The command that writes the hasher to move to, if only one program writes the format."""


def _is_rehashed(reading: HashReading, programs: Sequence[App]) -> bool:
    """Tell whether one of the programs that write the format hashes anew at a login."""
    # The server of SCRAM never has the password.
    if reading.client_side:
        return False
    if not programs:
        return True
    return not all(app.keeps_hashes for app in programs)


def _to_move_to(
    reading: HashReading, policies: Sequence[Policy], profile: Profile | None, only: App | None
) -> tuple[str, ...]:
    """List the hashers to move to, of those that the ``only`` program has."""
    # A policy that names the only hashers it allows must not be answered with others.
    if any(policy.approved is not None for policy in policies):
        return hashers_instead(policies, profile, only)
    if only is None:
        return (USUAL,)
    usual = usual_of(only)
    # What is not outdated moves only to meet a policy.
    if usual == (USUAL,) or is_broken(reading):
        return usual
    return hashers_instead(policies, profile, only)


def explain(
    reading: HashReading,
    *,
    tool: Tool,
    format_name: str | None,
    policies: Sequence[Policy] = (),
    devices: Sequence[Device] = (),
    profile: Profile | None = None,
    implementation: str | None = None,
    refused: str = "",
    is_saved: bool = False,
) -> Explanation:
    """Put together the known facts of a reading.

    The time is from ``profile``, and of this ``implementation`` if one is named. If the profile
    ``is_saved``, it may lack what can be timed here. ``refused`` says why nothing takes a cost
    that was typed.
    """
    hasher = reading.hasher or ""
    programs = programs_of(reading)
    only = only_program(programs)
    move_to = _to_move_to(reading, policies, profile, only)
    lacked_by = None
    if only is not None and not move_to:
        lacked_by = only.title
        move_to = hashers_instead(policies, profile)
    emitted_by = ""
    if only is not None and len(move_to) == 1:
        emitted_by = emit_command(only, move_to[0])
    fixed = without_setting(reading)
    instead = None
    if fixed is not None:
        instead = f"{fixed.title} has no cost in its configuration. {fixed.instead}"
    # Another program reads what this one writes, and may take less.
    elif only is not None and only.each_request and move_to == usual_of(only):
        advice = set_again(only)
        instead = f"{advice[0].upper()}{advice[1:]}."
    also_set = {}
    if hasher == "scrypt" and has_cost(reading):
        also_set = MAXMEM.raised_for(reading.params)
    facts = Explanation(
        **asdict(reading) | {"format": format_name},
        schema=EXPLANATION_SCHEMA_VERSION,
        tool=tool,
        implementation=None,
        implementation_version=None,
        machine=None if profile is None else profile.machine,
        time_seconds=None,
        untimed=None,
        interval_seconds=None,
        floors=floor_checks(reading, policies),
        attacker=() if refused else prices(devices, hasher, reading.params),
        is_broken=is_broken(reading),
        refused=refused,
        also_set=also_set,
        is_rehashed=_is_rehashed(reading, programs),
        kept_by=tuple(app.title for app in programs if app.keeps_hashes),
        move_to=move_to,
        lacked_by=lacked_by,
        instead=instead,
        emitted_by=emitted_by or None,
    )
    if refused or not reading.params:
        return facts
    if not has_cost(reading):
        # Nothing is computed here that is unknown or outdated.
        if facts.is_broken or not hasher or reading.kind is not Kind.HASHED:
            return facts
        return replace(facts, untimed=f"hashcost does not time {hasher}")
    cost = Configured(hasher=hasher, implementation=implementation, params=reading.params)
    measurement = measurement_for(cost, profile)
    # A failure says more than that the hasher is missing.
    if measurement is None:
        failure = None if profile is None else profile.failure_of(cost.label)
        if failure is None:
            return replace(facts, untimed=_why_not_measured(hasher, is_saved=is_saved))
        return replace(facts, untimed=str(failure))
    facts = replace(
        facts,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
    )
    setting = setting_at(measurement, reading.params)
    if setting is None:
        why = _why_not_covered(measurement, reading.params, is_saved=is_saved)
        return replace(facts, untimed=why)
    low, high = setting.interval
    return replace(
        facts,
        # PBKDF2 computes each block anew; the measurement is of one.
        time_seconds=setting.seconds * reading.blocks,
        interval_seconds=(low * reading.blocks, high * reading.blocks),
    )


def _why_not_measured(hasher: str, *, is_saved: bool) -> str:
    """Say why there is no measurement of the hasher."""
    if is_saved:
        return f"the profile has no times of {hasher}; {_TIME_HERE}"
    return f"no library that computes {hasher} was measured"


def _why_not_covered(measurement: Measurement, params: Params, *, is_saved: bool) -> str:
    """Say what the measurement of the hasher lacks, and how to time it all the same."""
    otherwise = params_timed_otherwise(measurement, params)
    sweep = sweep_for(measurement, params)
    if sweep:
        cure = f"{sweep} times it if one hash takes less"
        return f"only {format_setting(otherwise)} was measured; {cure}"
    why = f"{format_setting(params)} is too far from what was measured"
    if otherwise:
        why = f"only {format_setting(otherwise)} was measured"
    if is_saved:
        why = f"{why}; {_TIME_HERE}"
    return why
