"""The devices that guess, the speeds that others measured, and the price of guessing."""

import datetime as dt
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.algorithms import guess_memory, guess_traffic, guess_work
from hashcost.core.errors import UnknownNameError
from hashcost.core.measurement import Params
from hashcost.core.package_data import data_names, data_table
from hashcost.core.profile import AttackerPrice, Basis
from hashcost.core.text import hint, quoted

DEFAULT_DEVICE: Final = "rtx-4090"
_DATA: Final = "strength/attackers/data"

_Figure: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=1e18)]
"""A finite speed far beyond any device's."""
_Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class Speed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Guesses a second that a tool was seen to make at one cost, and where that is published."""

    hasher: _Text
    params: dict[str, Annotated[int, msgspec.Meta(ge=1)]]
    guesses_per_second: _Figure
    tool: _Text
    date: dt.date
    source: _Text
    mode: int | None = None
    """The number that hashcat has for the algorithm."""


class Bandwidth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The most that the device's memory moves, by its data sheet."""

    bytes_per_second: _Figure
    date: dt.date
    source: _Text


class Rent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The price of an hour of the device."""

    dollars_per_hour: _Figure
    date: dt.date
    source: _Text


class Device(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One device for guessing."""

    id: _Text
    title: _Text
    memory_bytes: Annotated[int, msgspec.Meta(ge=1)]
    bandwidth: Bandwidth
    price: Rent | None = None
    speeds: tuple[Speed, ...]

    def speed_of(self, hasher: str) -> Speed | None:
        """The published speed of one hasher, if any."""
        return next((speed for speed in self.speeds if speed.hasher == hasher), None)


def device_names() -> tuple[str, ...]:
    """The ids of the devices: the default one first, then in alphabetical order."""
    names = data_names(_DATA)
    return tuple(sorted(names, key=lambda name: name != DEFAULT_DEVICE))


@cache
def load_device(name: str) -> Device:
    """Load a device by its id.

    Raises:
        UnknownNameError: the name is unknown.
    """
    # A name with a path in it must not reach the file system.
    names = device_names()
    if name not in names:
        raise UnknownNameError(f"unknown device {quoted(name, 60)}; {hint(name, names)}", name)
    device = data_table(f"{_DATA}/{name}.toml")
    # A benchmark's tool, date and source stand once, above its speeds.
    speeds = []
    for benchmark in device.pop("benchmarks"):
        speeds += [{**benchmark, **speed} for speed in benchmark.pop("speeds")]
    return msgspec.convert({**device, "speeds": speeds}, Device)


GUESSES: Final = 2**32
"""The guesses that a price is for: all passwords of 32 bits, as 1Password's contest counted."""
_SECONDS_PER_HOUR = 3600
_NEAR_THE_BANDWIDTH = 0.5
"""A published speed counts if it is at least this share of what the bandwidth allows;
below, the tool is what is slow, and a better one may come any day."""


def prices(devices: Sequence[Device], hasher: str, params: Params) -> tuple[AttackerPrice, ...]:
    """Price guessing at this cost on each device whose speed is known."""
    priced = []
    for device in devices:
        row = price(device, hasher, params)
        if row is not None:
            priced.append(row)
    return tuple(priced)


def price(device: Device, hasher: str, params: Params) -> AttackerPrice | None:
    """Price guessing at this cost on one device; `None` if its speed is not known.

    A published speed is scaled by the work of a guess. Where the device's memory allows
    a lot more, or no speed is published, the bandwidth of that memory sets the rate.
    """
    bound = _by_bandwidth(device, hasher, params)
    speed = device.speed_of(hasher)
    published = None
    if speed is not None:
        published = _scaled(speed, params)
    # Far below what the memory allows, the tool is what is slow.
    if bound is not None and (published is None or published < _NEAR_THE_BANDWIDTH * bound):
        memory = device.bandwidth
        return _priced(device, bound, Basis.BANDWIDTH, "memory bandwidth", memory)
    if speed is None or published is None:
        return None
    return _priced(device, published, _basis(params, speed), speed.tool, speed)


def _scaled(speed: Speed, params: Params) -> float | None:
    """A published speed scaled by the work of a guess; `None` if that is unknown."""
    work = guess_work(speed.hasher, params)
    benchmark = guess_work(speed.hasher, speed.params)
    if not work or not benchmark:
        return None
    return speed.guesses_per_second * benchmark / work


def _priced(
    device: Device, rate: float, basis: Basis, tool: str, shown: Speed | Bandwidth
) -> AttackerPrice:
    """The price at a rate of guesses a second, with the source of that rate."""
    rent = dollars = None
    if device.price is not None:
        rent = device.price.dollars_per_hour
        dollars = rent / _SECONDS_PER_HOUR / rate * GUESSES
    return AttackerPrice(
        device=device.id,
        guesses_per_second=rate,
        basis=basis,
        dollars_per_2_32_guesses=dollars,
        dollars_per_hour=rent,
        tool=tool,
        date=shown.date,
        source=shown.source,
    )


def bandwidth_share(device: Device, speed: Speed) -> float | None:
    """The share of what the memory bandwidth allows that a published speed reaches."""
    bound = _by_bandwidth(device, speed.hasher, speed.params)
    if bound is None:
        return None
    return speed.guesses_per_second / bound


def _by_bandwidth(device: Device, hasher: str, params: Params) -> float | None:
    """The guesses a second whose traffic fills the bandwidth of the device's memory."""
    traffic = guess_traffic(hasher, params)
    if traffic is None:
        return None
    return device.bandwidth.bytes_per_second / traffic


def _basis(params: Params, speed: Speed) -> Basis:
    """How far a published speed can be trusted at another cost.

    The device may be slower than scaled below the benchmark's cost, where the overhead
    of each guess counts, and above its memory, where fewer guesses fit at once.
    """
    memory = guess_memory(speed.hasher, params)
    benchmark_memory = guess_memory(speed.hasher, speed.params)
    work = guess_work(speed.hasher, params) or 0.0
    benchmark_work = guess_work(speed.hasher, speed.params) or 0.0
    if memory == benchmark_memory and work == benchmark_work:
        return Basis.MEASURED
    is_slower = work < benchmark_work
    # Of a memory-hard hash fewer fit at once, whatever its work.
    if memory is not None and benchmark_memory is not None:
        is_slower = memory > benchmark_memory
    return Basis.UPPER_BOUND if is_slower else Basis.SCALED
