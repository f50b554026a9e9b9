"""What to time next, for one hasher. Pure: it asks for samples and is sent them.

A plan is a generator that yields requests; whoever drives it times them, many
plans in turn, and sends each sample back. So hashers share whatever the machine
does meanwhile, and a plan can be tested without a clock.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final, TypeAlias

from hashcost.errors import UnreachableError
from hashcost.model import Knob, Params, Rounding, Sample, Scale
from hashcost.solver import DISAGREEMENT, fit, solve

_ANCHOR_SAMPLES = 3
_PROBE_SECONDS = 2e-3
_GROWTH = 4


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much to measure.

    ``samples`` hashes of about ``sample_seconds`` each (a quarter of the target
    where that is shorter) carry the fit; ``confirmations`` are timed at the
    solved cost; ``brackets`` says whether the step above is timed too.
    """

    samples: int
    sample_seconds: float
    confirmations: int
    brackets: bool
    least_seconds: float = 0.0
    """All hashers together are sampled for at least this long, to cover slow drift."""


FAST: Final = Effort(samples=9, sample_seconds=5e-3, confirmations=1, brackets=False)
NORMAL: Final = Effort(samples=12, sample_seconds=8e-3, confirmations=1, brackets=True)
PRECISE: Final = Effort(
    samples=72, sample_seconds=10e-3, confirmations=5, brackets=True, least_seconds=10.0
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """Time one hash at ``params``; it is expected to take this long."""

    params: Params
    expected_seconds: float


Plan: TypeAlias = Generator[Request, Sample, None]


def plan(
    knob: Knob, target_seconds: float, rounding: Rounding, effort: Effort, plans: int = 1
) -> Plan:
    """Find the cost for this target: probe, sample, solve, confirm.

    ``plans`` is how many run in turn and share the effort's least time.
    """
    samples: list[Sample] = []

    def time_at(value: int, expected: float) -> Plan:
        samples.append((yield Request(params={knob.name: value}, expected_seconds=expected)))

    def seconds_at(value: int) -> float:
        return min(s.cpu_seconds for s in samples if s.params[knob.name] == value)

    for _ in range(_ANCHOR_SAMPLES):
        yield from time_at(knob.minimum, 0.0)
    value = knob.minimum
    while (seconds := seconds_at(value)) < _PROBE_SECONDS and value < knob.maximum:
        value = _grown(knob, value)
        for _ in range(2):
            yield from time_at(value, seconds * _GROWTH)

    sampled = _value_near(
        knob,
        seconds_at(value) / knob.work(value),
        min(target_seconds, max(_PROBE_SECONDS, target_seconds / 4), effort.sample_seconds),
    )
    expected = seconds * knob.work(sampled) / knob.work(value)
    spent = 0.0
    count = 0
    while count < effort.samples or spent < effort.least_seconds / plans:
        yield from time_at(sampled, expected)
        spent += samples[-1].wall_seconds
        count += 1

    yield from _confirm(knob, target_seconds, rounding, effort, samples)


def _confirm(
    knob: Knob,
    target_seconds: float,
    rounding: Rounding,
    effort: Effort,
    samples: list[Sample],
) -> Plan:
    """Time the solved cost itself, and again where the model turns out wrong."""
    confirmed: set[int] = set()
    while True:
        fitted = fit(knob, samples)
        try:
            solved = solve(fitted, target_seconds, rounding)
        except UnreachableError:
            return
        if solved in confirmed or len(confirmed) == 3:
            break
        confirmed.add(solved)
        expected = fitted.seconds(solved)
        wanted = effort.confirmations
        taken = 0
        while taken < wanted:
            sample = yield Request(params={knob.name: solved}, expected_seconds=expected)
            samples.append(sample)
            taken += 1
            if taken == wanted and abs(sample.cpu_seconds / expected - 1) > DISAGREEMENT:
                wanted = max(wanted, 3)
        if knob.scale is Scale.LOG2 and effort.brackets and solved < knob.maximum:
            samples.append(
                (
                    yield Request(
                        params={knob.name: solved + 1},
                        expected_seconds=fitted.seconds(solved + 1),
                    )
                )
            )


def _grown(knob: Knob, value: int) -> int:
    grown = value * _GROWTH if knob.scale is Scale.LINEAR else value + _GROWTH.bit_length() - 1
    return min(grown, knob.maximum)


def _value_near(knob: Knob, unit_seconds: float, seconds: float) -> int:
    """The legal value whose hash takes about this long, or on a log2 scale just less."""
    work = max(seconds / unit_seconds, 1.0)
    value = int(work) if knob.scale is Scale.LINEAR else int(work).bit_length() - 1
    return min(max(value, knob.minimum), knob.maximum)
