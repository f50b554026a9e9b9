"""The devices that guess, with the speeds that others measured. Pure but for reading the data."""

from __future__ import annotations

import datetime as dt
import tomllib
from importlib.resources import files
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.errors import UnknownNameError
from hashcost.documents.toml_tables import hint

DEFAULT_DEVICE: Final = "rtx-4090"
_DATA: Final = files("hashcost.worth.attackers").joinpath("data")

_Figure: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=1e18)]
"""Finite, and far beyond what there is."""
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


ELSEWHERE: Final = {
    "yescrypt": Speed(
        hasher="yescrypt",
        params={"cost": 5},
        guesses_per_second=419,
        tool="hashcat",
        date=dt.date(2026, 3, 30),
        source="hashcat pull request 4657",
    )
}
"""What was seen on a device that the source does not name, so that it cannot be priced."""


class Bandwidth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the device's memory moves at most, by its data sheet."""

    bytes_per_second: _Figure
    date: dt.date
    source: _Text


class Rent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an hour of the device was offered for."""

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
        """The published speed of one hasher; none where none is known."""
        return next((speed for speed in self.speeds if speed.hasher == hasher), None)


def device_names() -> tuple[str, ...]:
    """The ids of the devices: the default one first, then in alphabetical order."""
    names = sorted(file.name.removesuffix(".toml") for file in _DATA.iterdir())
    return tuple(sorted(names, key=lambda name: name != DEFAULT_DEVICE))


def load_device(name: str) -> Device:
    """Load a device by its id.

    Raises:
        UnknownNameError: there is none of this name.
    """
    known = device_names()
    if name not in known:
        raise UnknownNameError(f"no device {name[:60]!r}; {hint(name, known)}", name)
    resource = _DATA.joinpath(f"{name}.toml")
    return msgspec.convert(tomllib.loads(resource.read_text("utf-8")), Device)
