"""The attacker's price: worked examples, computed by hand, and the laws of scaling."""

from typing import Final

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from corpora import table
from hashcost.core.algorithms import guess_traffic, guess_work
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.profile import AttackerPrice, Basis
from hashcost.strength.attackers.device import device_names, load_device, price
from strategies import COSTS, hashers

DEVICES: Final = {name: load_device(name) for name in device_names()}

devices = st.sampled_from(sorted(DEVICES))


def priced(device: str, setting: str) -> AttackerPrice:
    """The price of a setting whose speed on the device is known."""
    cost = parse_cost(setting)
    found = price(DEVICES[device], cost.hasher, cost.params or {})
    assert found is not None
    return found


@table("device, setting, rate, basis")
def test_worked_examples(device: str, setting: str, rate: float, basis: str) -> None:
    """The guesses of a second are those that were computed by hand, and say what they rest on."""
    found = priced(device, setting)
    assert rate == pytest.approx(found.guesses_per_second, rel=1e-7)
    assert basis == found.basis.value


@table("device, setting, dollars")
def test_worked_prices(device: str, setting: str, dollars: float | None) -> None:
    """The dollars for 2^32 guesses are those that were computed by hand."""
    found = priced(device, setting)
    assert found.dollars_per_2_32_guesses == (dollars and pytest.approx(dollars, rel=1e-5))
    assert (dollars is None) is (found.dollars_per_hour is None)


def test_a_price_by_bandwidth_says_so() -> None:
    """A price by bandwidth has the source of the bandwidth, not that of the published speed."""
    device = DEVICES["rtx-4090"]
    found = price(device, "scrypt", {"n": 16384, "r": 8, "p": 1})
    assert found is not None
    assert (Basis.BANDWIDTH, "memory bandwidth") == (found.basis, found.tool)
    assert (device.bandwidth.date, device.bandwidth.source) == (found.date, found.source)
    assert found.guesses_per_second == pytest.approx(1.008e12 / (160 * 16384 * 8))


@given(devices, st.sampled_from(["argon2id", "scrypt"]), st.data())
def test_no_price_is_beyond_the_bandwidth(device: str, hasher: str, data: st.DataObject) -> None:
    """No device guesses a memory-hard hasher more often than its bandwidth allows, nor less
    than half as often.
    """
    params = data.draw(COSTS[hasher])
    found, traffic = price(DEVICES[device], hasher, params), guess_traffic(hasher, params)
    assert found is not None
    assert traffic is not None
    bound = DEVICES[device].bandwidth.bytes_per_second / traffic
    assert 0.5 <= found.guesses_per_second / bound <= 1 + 1e-9


def test_no_speed_is_no_price() -> None:
    """Where no speed of a hasher is published, there is no price, and none is made up."""
    assert price(DEVICES["rtx-4090"], "yescrypt", {"cost": 5}) is None
    assert price(DEVICES["rx-7900-xtx"], "bcrypt", {"cost": 12}) is None


def test_a_speed_that_cannot_be_scaled_is_no_price() -> None:
    """A hasher whose work is not known is not scaled, even where a speed is published."""
    device = DEVICES["rtx-4090"]
    speed = msgspec.structs.replace(device.speeds[0], hasher="plugin", params={"turns": 1})
    assert price(msgspec.structs.replace(device, speeds=(speed,)), "plugin", {"turns": 1}) is None


@given(devices, hashers, st.data())
def test_twice_the_work_is_half_the_guesses(device: str, hasher: str, data: st.DataObject) -> None:
    """Whatever two costs of a hasher, their rates are to each other as their work, inversely."""
    one, other = data.draw(COSTS[hasher]), data.draw(COSTS[hasher])
    cheap, dear = price(DEVICES[device], hasher, one), price(DEVICES[device], hasher, other)
    if cheap is None or dear is None:
        assert cheap is None is dear
        return
    works = guess_work(hasher, one), guess_work(hasher, other)
    assert works[0] is not None
    assert works[1] is not None
    assert cheap.guesses_per_second * works[0] == pytest.approx(dear.guesses_per_second * works[1])


@given(devices, hashers, st.data())
def test_dollars_times_rate_is_the_rent(device: str, hasher: str, data: st.DataObject) -> None:
    """Whatever the hasher and its cost, the dollars of a guess times the guesses of an hour
    are the rent.
    """
    found = price(DEVICES[device], hasher, data.draw(COSTS[hasher]))
    assume(found is not None and found.dollars_per_hour is not None)
    assert found is not None
    assert found.dollars_per_2_32_guesses is not None
    of_a_guess = found.dollars_per_2_32_guesses / 2**32
    assert found.dollars_per_hour == pytest.approx(of_a_guess * found.guesses_per_second * 3600)
