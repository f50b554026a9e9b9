"""From a published speed to the price of guessing at another cost. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hashcost.core.algorithms import guess_memory, guess_work
from hashcost.core.measurement import Params
from hashcost.core.profile import AttackerPrice, Basis
from hashcost.worth.attackers.device import Device

GUESSES: Final = 2**32
"""What a price is for: all passwords of 32 bits, as 1Password's contest counted."""
_SECONDS_PER_HOUR = 3600


def prices(
    devices: Sequence[Device], hasher: str, params: Params, dollars_per_hour: float | None = None
) -> tuple[AttackerPrice, ...]:
    """What guessing at this cost costs on each device of which that is known."""
    found = (price(device, hasher, params, dollars_per_hour) for device in devices)
    return tuple(each for each in found if each is not None)


def price(
    device: Device, hasher: str, params: Params, dollars_per_hour: float | None = None
) -> AttackerPrice | None:
    """What guessing at this cost costs on one device; `None` if no speed is published for it.

    ``dollars_per_hour`` is the device's rent, in place of the published one.
    """
    speed = device.speed_of(hasher)
    scale = None if speed is None else _scale(hasher, params, speed.params)
    if speed is None or scale is None:
        return None
    if dollars_per_hour is None and device.price is not None:
        dollars_per_hour = device.price.dollars_per_hour
    rate = speed.guesses_per_second / scale
    return AttackerPrice(
        device=device.id,
        guesses_per_second=rate,
        basis=_basis(hasher, params, speed.params, scale),
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


def _basis(hasher: str, params: Params, benchmark: Params, scale: float) -> Basis:
    """How far the scaling can be trusted.

    Below the benchmark's cost the overhead of each guess no longer vanishes, and
    above its memory fewer guesses fit the device at once: it may be slower than
    scaled there, and is not faster. With less memory than the benchmark's it may be
    faster: more guesses fit it, and its caches, at once. By how much is not known
    here, so that the speed is scaled by work alone.
    """
    memory, known = guess_memory(hasher, params), guess_memory(hasher, benchmark)
    if memory == known and guess_work(hasher, params) == guess_work(hasher, benchmark):
        return Basis.MEASURED
    slower = scale < 1 if memory is None or known is None else memory > known
    return Basis.UPPER_BOUND if slower else Basis.SCALED
