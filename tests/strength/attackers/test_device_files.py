"""The devices as the files that they are: every speed and every rent can be traced."""

import datetime as dt
import tomllib
from importlib.resources import files
from typing import Any, Final

import msgspec
import pytest

from corpora import cases
from hashcost.core.algorithms import COST_NAMES
from hashcost.strength.attackers.device import DEFAULT_DEVICE, Device, device_names, load_device

DATA: Final = files("hashcost.strength.attackers").joinpath("data")

DEVICES: Final = sorted(file.name.removesuffix(".toml") for file in DATA.iterdir())

BENCHMARKS: Final = cases(__file__, "device_files.toml", "benchmarks")


def raw(name: str) -> dict[str, Any]:
    """A device's file as it stands."""
    return tomllib.loads(DATA.joinpath(f"{name}.toml").read_text("utf-8"))


def is_a_day(value: object) -> bool:
    """Whether a value is a day since hashcat 6, and no time of day."""
    return type(value) is dt.date and dt.date(2020, 6, 1) < value <= dt.date(2026, 12, 31)


def test_the_default_device_is_listed_first() -> None:
    """The devices are in alphabetical order behind the default one, and none is left out."""
    default, *others = device_names()
    assert DEFAULT_DEVICE == "rtx-4090" == default
    assert sorted(others) == others
    assert sorted(device_names()) == DEVICES


@pytest.mark.parametrize("name", DEVICES)
def test_a_device_goes_by_its_file(name: str) -> None:
    """Each device has its file's name for its id, a title, and memory of some GiB."""
    device = load_device(name)
    assert name == device.id
    assert device.title.strip()
    assert device.memory_bytes % 2**30 == 0
    assert device.speeds


@pytest.mark.parametrize("name", DEVICES)
def test_every_figure_has_its_day_and_source(name: str) -> None:
    """Each speed says which tool and version made it, when, and where that is published, and so
    do the bandwidth and the rent.
    """
    bandwidth, rent = raw(name)["bandwidth"], raw(name).get("price")
    for figure in (bandwidth, rent):
        assert figure is None or (figure["source"].strip() and is_a_day(figure["date"]))
    assert 1e11 < bandwidth["bytes_per_second"] < 1e13
    assert rent is None or 0 < rent["dollars_per_hour"] < 100
    for speed in load_device(name).speeds:
        assert speed.tool.startswith("hashcat ")
        assert speed.tool.removeprefix("hashcat ")[0].isdigit()
        assert speed.source.strip()
        assert is_a_day(speed.date)
        assert 0 < speed.guesses_per_second < 1e12


@pytest.mark.parametrize("name", DEVICES)
def test_speeds_are_of_the_cost_that_was_really_hashed(name: str) -> None:
    """Each speed is of hashcat's mode for the hasher, at the cost that its benchmark has: 1000
    iterations, cost 5, 5000 rounds.
    """
    for speed in load_device(name).speeds:
        assert BENCHMARKS[speed.hasher] == [speed.mode, speed.params]
        assert set(COST_NAMES.get(speed.hasher, speed.params)) == speed.params.keys()


@pytest.mark.parametrize("name", DEVICES)
def test_a_hasher_has_one_speed(name: str) -> None:
    """No device has two speeds of one hasher, of which only the first would count."""
    hashers = [speed.hasher for speed in load_device(name).speeds]
    assert len(set(hashers)) == len(hashers)


@pytest.mark.parametrize("figure", [0.0, -1.0, float("inf"), float("nan")])
def test_a_figure_that_cannot_be_is_refused_with_its_key(figure: float) -> None:
    """A speed or a rent is above zero and finite, and a message names the key that is not."""
    table = raw(DEFAULT_DEVICE)
    table["price"]["dollars_per_hour"] = figure
    with pytest.raises(msgspec.ValidationError, match=r"`\$\.price\.dollars_per_hour`"):
        msgspec.convert(table, Device)
