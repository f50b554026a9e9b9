"""From a published speed to the price of guessing at another cost. Pure."""

from __future__ import annotations

from typing import Final

from hashcost.core.algorithms import guess_memory, guess_work
from hashcost.core.measurement import Params
from hashcost.core.profile import AttackerPrice, Basis
from hashcost.worth.attackers.device import Device, Speed

GUESSES: Final = 2**32
"""What a price is for: all passwords of 32 bits, as 1Password's contest counted."""
_SECONDS_PER_HOUR = 3600


def price(
    device: Device, hasher: str, params: Params, dollars_per_hour: float | None = None
) -> AttackerPrice | None:
    """What guessing at this cost costs on one device.

    Args:
        device: What guesses.
        hasher: The algorithm.
        params: Its cost.
        dollars_per_hour: The device's rent, in place of the published one.

    Returns:
        None where no speed of the hasher is published for the device.
    """
    speed = device.speed_of(hasher)
    if speed is None:
        return None
    scale = _scale(hasher, params, speed.params)
    if scale is None:
        return None
    if dollars_per_hour is None and device.price is not None:
        dollars_per_hour = device.price.dollars_per_hour
    rate = speed.guesses_per_second / scale
    return AttackerPrice(
        device=device.id,
        guesses_per_second=rate,
        basis=_basis(hasher, params, speed),
        dollars_per_2_32_guesses=None
        if dollars_per_hour is None
        else dollars_per_hour / _SECONDS_PER_HOUR / rate * GUESSES,
        dollars_per_hour=dollars_per_hour,
        benchmark_params=speed.params,
        tool=speed.tool,
        date=speed.date,
        source=speed.source,
    )


def _scale(hasher: str, params: Params, benchmark: Params) -> float | None:
    """How many times the benchmark's work a guess takes."""
    work, known = guess_work(hasher, params), guess_work(hasher, benchmark)
    return None if work is None or known is None else work / known


def _basis(hasher: str, params: Params, speed: Speed) -> Basis:
    """How far the scaling can be trusted.

    Below the benchmark's cost the overhead of each guess no longer vanishes, and
    above its memory fewer guesses fit the device at once: it may be slower than
    scaled there, and is not faster. With less memory than the benchmark's it may be
    faster: more guesses fit it, and its caches, at once. By how much is not known
    here, so that the speed is scaled by work alone.
    """
    if _strength(hasher, params) == _strength(hasher, speed.params):
        return Basis.MEASURED
    memory, benchmark_memory = guess_memory(hasher, params), guess_memory(hasher, speed.params)
    if memory is not None and benchmark_memory is not None:
        return Basis.UPPER_BOUND if memory > benchmark_memory else Basis.SCALED
    scale = _scale(hasher, params, speed.params)
    return Basis.UPPER_BOUND if scale is not None and scale < 1 else Basis.SCALED


def _strength(hasher: str, params: Params) -> tuple[float | None, float | None]:
    return guess_work(hasher, params), guess_memory(hasher, params)
