"""The times of single hashes behind a verdict. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hashcost.core.model import Params, Profile, Recommendation, Sample
from hashcost.fit.solver import Curve
from hashcost.recommend.recommendation import fit_of, slowed
from hashcost.verdicts.check import Configured, row_for


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
    row = row_for(cost, profile.results)
    known = row if row is None or isinstance(row, Recommendation) else row.measured
    if known is None:
        return None
    known = slowed(known, cost.multiple)
    timed = [
        seconds
        for sample in known.samples
        if sample.params == cost.params and (seconds := _seconds(sample, known)) > 0
    ]
    parameter = known.model.parameter
    curve = _through(cost.params, known)
    scaled: list[tuple[float, int]] = []
    if curve is not None:
        parameter = curve.model.parameter
        here = curve.seconds(cost.params[parameter])
        for sample in known.samples:
            value = sample.params.get(parameter)
            if value is None or sample.params == cost.params or curve.at(value) != sample.params:
                continue
            there = curve.seconds(value)
            if there > 0 and (seconds := _seconds(sample, known)) > 0:
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


def _through(params: Params, row: Recommendation) -> Curve | None:
    """The curve that a cost lies on; a single point is none."""
    for curve in fit_of(row).curves:
        value = params.get(curve.model.parameter)
        if curve.knob is not None and value is not None and curve.at(value) == params:
            return curve
    return None


def _seconds(sample: Sample, row: Recommendation) -> float:
    return sample.cpu_seconds if row.threads == 1 else sample.wall_seconds
