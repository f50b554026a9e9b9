"""The attacker's price: worked examples, computed by hand, and the laws of scaling."""

from typing import Final

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hashcost.core.algorithms import guess_traffic, guess_work
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.profile import AttackerPrice, Basis
from hashcost.worth.attackers.device import device_names, load_device, price
from strategies import COSTS, hashers

MEASURED, SCALED, AT_MOST = Basis.MEASURED, Basis.SCALED, Basis.UPPER_BOUND
BANDWIDTH = Basis.BANDWIDTH

DEVICES: Final = {name: load_device(name) for name in device_names()}

EXAMPLES: Final = [
    # bcrypt: the speed at cost=5 times 2^(5 - cost).
    ("rtx-4090", "bcrypt=5", 184_000, MEASURED),  # 184,000 * 2^0
    ("rtx-4090", "bcrypt=9", 11_500, SCALED),  # 184,000 / 16
    ("rtx-4090", "bcrypt=12", 1_437.5, SCALED),  # 184,000 / 128
    ("rtx-4090", "bcrypt=4", 368_000, AT_MOST),  # More than the overhead of a guess may allow.
    # PBKDF2: the speed at 1000 iterations times 1000 / iterations.
    ("rtx-4090", "pbkdf2-sha256=1000", 8_865_700, MEASURED),
    ("rtx-4090", "pbkdf2-sha256=600000", 14_776.1667, SCALED),  # 8,865,700 / 600
    ("rtx-4090", "pbkdf2-sha256=100", 88_657_000, AT_MOST),  # 8,865,700 * 10
    ("rtx-4090", "pbkdf2-sha1=1400000", 13_660.2857, SCALED),  # 19,124,400 / 1,400
    ("rtx-4090", "sha512-crypt=656000", 8_990.8537, SCALED),  # 1,179,600 / 131.2
    # scrypt: the bandwidth by 160 n r p bytes, since 7126 is 15 % of that:
    # 1.008e12 / (160 * 16384 * 8 * 1) = 1.008e12 / 20,971,520
    ("rtx-4090", "scrypt=n=16384,r=8,p=1", 48_065.1855, BANDWIDTH),
    # Half the memory, ten times: 8192 * 8 * 10 = 655,360; 48,065.1855 / 5
    ("rtx-4090", "scrypt=n=8192,r=8,p=10", 9_613.0371, BANDWIDTH),
    # argon2id: the speed at m (3 t - 1) = 65536 * 8 = 524,288 times 524,288 / (m (3 t - 1)).
    ("rtx-4090", "argon2id=m=65536,t=3,p=1", 1703, MEASURED),
    ("rtx-4090", "argon2id=m=65536,t=3,p=4", 1703, MEASURED),  # Lanes change nothing.
    ("rtx-4090", "argon2id=m=12288,t=3,p=1", 9082.6667, SCALED),  # 1703 * 16 / 3
    ("rtx-4090", "argon2id=m=1048576,t=3,p=1", 106.4375, AT_MOST),  # 1703 / 16
    ("rtx-5090", "sha512-crypt=656000", 11_278.9634, SCALED),  # 1,479,800 / 131.2
    # 960e9 / (160 * 16384 * 8), where no speed is published
    ("rx-7900-xtx", "scrypt=n=16384,r=8,p=1", 45_776.3672, BANDWIDTH),
    # 1.792e12 / (1024 * 19456 * 5), likewise
    ("rtx-5090", "argon2id=m=19456,t=2,p=1", 17_989.3092, BANDWIDTH),
    ("rx-7900-xtx", "argon2id=m=65536,t=3,p=1", 1367, MEASURED),
]

devices = st.sampled_from(sorted(DEVICES))


def priced(device: str, setting: str) -> AttackerPrice:
    """The price of a setting whose speed on the device is known."""
    cost = parse_cost(setting)
    found = price(DEVICES[device], cost.hasher, cost.params or {})
    assert found is not None
    return found


@pytest.mark.parametrize(("device", "setting", "rate", "basis"), EXAMPLES)
def test_worked_examples(device: str, setting: str, rate: float, basis: Basis) -> None:
    """The guesses of a second are those that were computed by hand, and say what they rest on."""
    found = priced(device, setting)
    assert rate == pytest.approx(found.guesses_per_second, rel=1e-7)
    assert basis is found.basis


@pytest.mark.parametrize(
    ("device", "setting", "dollars"),
    [
        # rent / 3600 / rate * 4,294,967,296
        ("rtx-4090", "bcrypt=12", 282.1814),  # 0.34 / 3600 / 1,437.5 * 2^32
        ("rtx-4090", "scrypt=n=131072,r=8,p=1", 67.5142),  # 0.34 / 3600 / 6,008.1482 * 2^32
        ("rx-7900-xtx", "argon2id=m=65536,t=3,p=1", None),  # No rent is published.
    ],
)
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
    assert (BANDWIDTH, "memory bandwidth") == (found.basis, found.tool)
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
