"""Profiles with invented figures, for what shows them."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.core.machine import Machine, Notice
from hashcost.core.measurement import Measurement, Params, Sample, work
from hashcost.core.profile import Profile, Recommendation
from hashcost.storage.profile import load_profile
from hashcost.strength.appraisal import appraise
from hashcost.strength.attackers.device import load_device
from hashcost.strength.policies.policy import Policy
from made_up import MEMORY_HARD_FILE, PROFILE_FILE

EVERY: Final = load_profile(PROFILE_FILE)
"""Several implementations, a row without an interval, two failures, a warning."""
HARD: Final = load_profile(MEMORY_HARD_FILE)
"""Hashers in memory, one of them in two lanes."""

HOSTILE: Final = "<script>alert(1)</script>\"'&`$\\frac{$"
"""What a page, a drawing or a formula might take for its own."""


def appraised(profile: Profile, policies: Sequence[Policy]) -> Profile:
    """The profile with floors and prices."""
    return appraise(profile, policies, (load_device("rtx-4090"),))


def eight_rows() -> Profile:
    """A profile of eight hashers, each timed at several costs."""
    rows = [(EVERY, row) for row in EVERY.recommendations[:5]]
    rows += [(HARD, row) for row in HARD.recommendations]
    return msgspec.structs.replace(
        EVERY,
        measurements=tuple(_timed(profile, row) for profile, row in rows),
        results=tuple(row for _, row in rows),
    )


def _timed(profile: Profile, row: Recommendation) -> Measurement:
    """Sixteen hashes at each of three costs, or at those steps of memory that were timed."""
    samples = tuple(
        Sample(
            params=params,
            cpu_seconds=seconds * (1 + index / 100),
            wall_seconds=seconds * (1 + index / 50),
        )
        for params, seconds in _known_times(row)
        for index in range(16)
    )
    measurement = profile.measurement_of(row)
    assert measurement is not None
    return msgspec.structs.replace(measurement, samples=samples)


def _known_times(row: Recommendation) -> list[tuple[Params, float]]:
    if row.knobs[0].is_ladder:
        steps = [(step.params, step.time_seconds) for step in row.neighbours if step.measured]
        return [*steps, (row.params, row.time_seconds)]
    (knob,) = row.knobs
    costs = (knob.minimum, (knob.minimum + row.params[knob.name]) // 2, row.params[knob.name])
    return [({knob.name: cost}, row.model.seconds(work(knob.scale, cost))) for cost in costs]


def hostile() -> Profile:
    """A profile in which every name that a file may choose is hostile."""
    machine = {
        field: HOSTILE
        for field in Machine.__struct_fields__
        if isinstance(getattr(EVERY.machine, field), str)
    }
    notice = Notice(code="made-up", message=HOSTILE, advice=HOSTILE)
    names = {"implementation": HOSTILE, "implementation_version": HOSTILE}
    first = eight_rows()
    rows = (msgspec.structs.replace(first.recommendations[0], warnings=(notice,), **names),)
    failures = tuple(
        msgspec.structs.replace(row, hasher=HOSTILE, error=HOSTILE) for row in EVERY.failures
    )
    return msgspec.structs.replace(
        EVERY,
        machine=msgspec.structs.replace(EVERY.machine, cpu_flags=(HOSTILE,), **machine),
        measurements=(msgspec.structs.replace(first.measurements[0], **names),),
        results=(*rows, *failures),
        warnings=(notice,),
    )
