"""The times of single hashes behind a verdict. Pure."""

from collections import Counter
from dataclasses import dataclass

from hashcost.core.profile import Profile
from hashcost.fit.times import setting_at
from hashcost.recommend.library_times import in_place, slowed
from hashcost.verdicts.check import measurement_for
from hashcost.verdicts.judgement import Configured


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Times of one hash at a cost, in seconds, each of a hash that was timed.

    ``timed`` are of hashes at exactly this cost. ``scaled`` are of hashes at other costs
    in the same memory: how far each was off what the model says there, times what it
    says here. ``scaled_from`` are the values that they were timed at.
    """

    implementation_version: str
    parameter: str
    threads: int
    timed: tuple[float, ...]
    scaled: tuple[float, ...]
    scaled_from: tuple[int, ...]


def distribution_of(cost: Configured, profile: Profile) -> Distribution | None:
    """The times that a cost was judged by; none where no hash says anything of it."""
    known = measurement_for(cost, profile)
    if known is None:
        return None
    known = slowed(in_place(known, cost.scheme), cost.on(profile.machine.cpu_model).multiple)
    times = [(sample.params, known.seconds(sample)) for sample in known.samples]
    timed = [seconds for params, seconds in times if params == cost.params and seconds > 0]
    known_at = setting_at(known, cost.params)
    curve = None if known_at is None or known_at.curve.knob is None else known_at.curve
    parameter = known.knobs[-1].name
    scaled: list[tuple[float, int]] = []
    if curve is not None:
        parameter = curve.model.parameter
        here = curve.seconds(cost.params[parameter])
        for params, seconds in times:
            value = params.get(parameter)
            if value is None or params == cost.params or curve.at(value) != params:
                continue
            there = curve.seconds(value)
            if there > 0 and seconds > 0:
                scaled.append((seconds / there * here, value))
    if not timed and not scaled:
        return None
    return Distribution(
        implementation_version=known.implementation_version,
        parameter=parameter,
        threads=known.threads,
        timed=tuple(timed),
        scaled=tuple(seconds for seconds, _ in scaled),
        scaled_from=tuple(sorted(Counter(value for _, value in scaled))),
    )
