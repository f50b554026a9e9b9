"""A hasher that works here, at one cost: what a load is put on."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.cost_expressions import Cost, complete
from hashcost.core.errors import HashcostError, UnavailableError, UsageError
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.units import (
    DEFAULT_TARGET_SECONDS,
    LONGEST_TARGET_SECONDS,
    format_duration,
    format_long,
    format_setting,
)
from hashcost.fit.solver import Solution
from hashcost.fit.times import foreseen_seconds, setting_at
from hashcost.hashers.interface import Hasher, check_known_answers
from hashcost.hashers.registry import Candidate, candidates, load_first, one_line, select
from hashcost.machine.host import Host
from hashcost.machine.memory import memory_limit
from hashcost.measure.effort import FAST
from hashcost.recommend.calibration import Request, calibrate
from hashcost.recommend.recommendation import lowest_setting, only_measurement, solve_again
from hashcost.recommend.saved import labels_in, rows_named

_ESTIMATE_SECONDS: Final = 0.02
"""The target of the quick calibration that a given cost's time is foreseen from."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A hasher that works here, at one cost."""

    hasher: Hasher
    params: Params
    expected_seconds: float
    """About how long one hash takes."""

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher.name}@{self.hasher.implementation}"

    @property
    def memory_bytes(self) -> int:
        """Memory that one hash takes."""
        return self.hasher.memory_bytes(self.params)


def given_subject(cost: Cost, *, host: Host, pool: Sequence[Candidate] | None = None) -> Subject:
    """The hasher at the cost that was given.

    Raises:
        HashcostError: the cost is not legal or takes too long, or the hasher cannot run.
    """
    label, hasher, params = _load(cost, pool)
    # Whoever names a cost allows its memory, where the system does not tell what it has.
    memory = None if memory_limit(host, None) is not None else hasher.memory_bytes(params)
    request = Request(
        target_seconds=_ESTIMATE_SECONDS, hashers=(label,), effort=FAST, memory_bytes=memory
    )
    near = only_measurement(calibrate(request, host=host, pool=pool))
    with naming(label):
        expected = foreseen_seconds(near, params)
    if expected > LONGEST_TARGET_SECONDS:
        raise UsageError(
            f"{label} {format_setting(params)} takes about {format_long(expected)} a hash;"
            f" name a cost that takes at most {format_duration(LONGEST_TARGET_SECONDS)}"
        )
    return Subject(hasher=hasher, params=params, expected_seconds=expected)


def subject_at(
    label: str,
    params: Params,
    expected_seconds: float,
    pool: Sequence[Candidate] | None = None,
) -> Subject:
    """A hasher at a cost that was measured.

    Raises:
        HashcostError: the hasher cannot run here, or has no such cost.
    """
    name, _, implementation = label.partition("@")
    cost = Cost(hasher=name, implementation=implementation, params=params)
    _, hasher, params = _load(cost, pool)
    return Subject(hasher=hasher, params=params, expected_seconds=expected_seconds)


def solved_profile(
    cost: Cost,
    target: float | None,
    origin: Profile | None,
    *,
    memory: int | None,
    host: Host,
    pool: Sequence[Candidate] | None = None,
) -> Profile:
    """A profile of only this hasher, solved for a target; measured now or read from another.

    A hash that is measured now takes at most this ``memory``.

    Raises:
        UsageError: the other profile has no such hasher.
    """
    if origin is None:
        seconds = DEFAULT_TARGET_SECONDS if target is None else target
        free = host.available_memory()
        if memory is not None and free is not None:
            memory = min(memory, free)
        request = Request(target_seconds=seconds, hashers=(cost.label,), memory_bytes=memory)
        return calibrate(request, host=host, pool=pool)
    rows = rows_named(origin, cost.label)
    if not rows:
        labels = ", ".join(labels_in(origin))
        raise UsageError(f"--from: {cost.label} is not in the profile; name one of {labels}")
    alone = origin.only(rows[0])
    return alone if target is None else solve_again(alone, target)


def answer_or_lowest(profile: Profile) -> Solution:
    """Return the recommended setting of a profile of one hasher, or its lowest one.

    Raises:
        HashcostError: nothing was measured.
    """
    measurement, row = only_measurement(profile), profile.results[0]
    answer = setting_at(measurement, row.params) if isinstance(row, Recommendation) else None
    return answer or lowest_setting(measurement)


@contextlib.contextmanager
def naming(label: str) -> Iterator[None]:
    """Let every error say whose it is; a library may raise anything at all."""
    try:
        yield
    except HashcostError as error:
        raise type(error)(f"{label}: {error}") from error
    except Exception as error:
        raise UnavailableError(f"{label}: failed: {one_line(error)}") from error


def _load(cost: Cost, pool: Sequence[Candidate] | None) -> tuple[str, Hasher, Params]:
    """The first implementation that is to be had, once it computed its known answers."""
    pool = candidates() if pool is None else pool
    [implementations] = select([cost.label], every_implementation=False, available=pool)
    with naming(cost.label):
        candidate, hasher = load_first(implementations)
    with naming(candidate.label):
        check_known_answers(hasher)
    return candidate.label, hasher, complete(cost, hasher.knobs, hasher.lowest)
