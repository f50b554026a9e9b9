"""What is put together of one hash or one cost."""

from pathlib import Path
from typing import Any, Final

import pytest

from checks import MEMORY_HARD
from corpora import table
from hashcost.checks.explanation import Explanation, explain
from hashcost.core.machine import Tool
from hashcost.core.measurement import Params
from hashcost.core.profile import Verdict
from hashcost.storage.profile import load_profile
from hashcost.stored.formats.reading import HashReading, Kind
from hashcost.stored.formats.registry import read
from hashcost.strength.attackers.device import load_device, price
from hashcost.strength.policies.catalogue import load_policy
from made_up import PROFILE_FILE

TOOL: Final = Tool(name="hashcost", version="0")
PROFILE: Final = load_profile(PROFILE_FILE)
GPU: Final = load_device("rtx-4090")
OWASP: Final = load_policy("owasp")


def explained(reading: HashReading, **options: Any) -> Explanation:
    """The explanation, with all that may be known."""
    options = {"policies": (OWASP,), "devices": (GPU,), "profile": PROFILE, **options}
    return explain(reading, tool=TOOL, format_name=reading.format, **options)


def hashed(hasher: str, params: Params, **more: Any) -> HashReading:
    """What a password hash says."""
    return HashReading(kind=Kind.HASHED, format="crypt", hasher=hasher, params=params, **more)


def test_a_cost_that_was_measured() -> None:
    """Time, interval, library, floor and price of bcrypt 9 stand together."""
    found = explained(hashed("bcrypt", {"cost": 9}))
    assert ("bcrypt", "5.0.0") == (found.implementation, found.implementation_version)
    assert found.time_seconds == pytest.approx(26.8e-3, rel=0.01)
    assert found.time_seconds is not None
    assert found.interval_seconds is not None
    assert found.interval_seconds[0] <= found.time_seconds <= found.interval_seconds[1]
    assert [Verdict.SHORT] == [check.verdict for check in found.floors]
    assert (price(GPU, "bcrypt", {"cost": 9}),) == found.attacker
    assert found.untimed is None


def test_an_implementation_that_is_named_is_the_one_that_is_timed() -> None:
    """Two libraries take different times for one cost."""
    reading = hashed("bcrypt", {"cost": 9})
    by_library = explained(reading, implementation="libcrypt")
    assert "libcrypt" == by_library.implementation
    assert by_library.time_seconds is not None
    assert by_library.time_seconds < (explained(reading).time_seconds or 0)


@table("hasher, params, why")
def test_what_could_not_be_timed_says_why(hasher: str, params: Params, why: str) -> None:
    """No time is not passed over in silence."""
    found = explained(hashed(hasher, params))
    assert (None, None, why) == (found.time_seconds, found.interval_seconds, found.untimed)


@table("params, why")
def test_what_a_measurement_does_not_cover_is_named(params: Params, why: str) -> None:
    """Other lanes or far less memory than was timed give no time, and the reason is true."""
    found = explained(hashed("argon2id", params), profile=MEMORY_HARD)
    assert (None, why) == (found.time_seconds, found.untimed)


def test_without_a_profile_there_is_no_time() -> None:
    """Nor is there a machine; that is no failure where nothing has a cost."""
    found = explained(read("0a" * 16), profile=None)
    assert (None, None, None) == (found.machine, found.time_seconds, found.untimed)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.HASHED])
def test_what_is_no_password_hash_is_not_judged(kind: Kind) -> None:
    """It has no time and no floor."""
    found = explained(HashReading(kind=kind, format="any", hasher="bcrypt", params={"cost": 9}))
    assert (None, None, ()) == (found.time_seconds, found.untimed, found.floors)


def test_where_policies_approve_only_some_hashers_one_of_these_is_named() -> None:
    """Advice never leads to a hasher that a policy forbids."""
    reading = hashed("bcrypt", {"cost": 9})
    assert ("argon2id",) == explained(reading, policies=(OWASP,)).move_to
    [approved] = explained(reading, policies=(load_policy("fips"),)).move_to
    assert approved.startswith("pbkdf2-")


@table("name, client_side, is_rehashed")
def test_only_what_a_login_can_rehash_is_said_to_be_rehashed(
    name: str, client_side: bool, is_rehashed: bool
) -> None:
    """The server of SCRAM never has the password, and some programs keep a hash as it is."""
    reading = HashReading(kind=Kind.HASHED, format=name, client_side=client_side)
    assert explained(reading).is_rehashed == is_rehashed


@table("name, hasher, params, move_to, kept_by, emitted_by")
def test_what_moves_where_is_what_its_program_takes(
    name: str, hasher: str, params: Params, move_to: list[str], kept_by: list[str], emitted_by: str
) -> None:
    """The only program that writes a format cannot check what it does not have."""
    reading = HashReading(kind=Kind.HASHED, format=name, hasher=hasher, params=params)
    found = explained(reading, policies=(OWASP,))
    assert (tuple(move_to), tuple(kept_by)) == (found.move_to, found.kept_by)
    assert emitted_by == (found.emitted_by or "")


def test_a_program_without_a_setting_has_advice_of_its_own() -> None:
    """Nobody can move Redis to another hasher."""
    reading = HashReading(kind=Kind.FAST, format="redis", hasher="sha256")
    found = explained(reading, policies=(OWASP,))
    assert (found.instead or "").startswith("Redis has no cost in its configuration. ")
    assert explained(hashed("bcrypt", {"cost": 9}), policies=(OWASP,)).instead is None


def test_a_program_without_an_approved_hasher_is_named() -> None:
    """The policies do list a hasher, so that none of them is in the way of another."""
    params = {"iterations": 10_000}
    reading = HashReading(
        kind=Kind.HASHED, format="grub pbkdf2", hasher="pbkdf2-sha512", params=params
    )
    found = explained(reading, policies=(load_policy("disa-stig"),))
    assert (found.lacked_by, found.move_to) == ("GRUB", ("sha512-crypt",))


def test_another_block_size_is_told_how_to_be_timed() -> None:
    """Only a sweep times it, and only within its budget."""
    root = Path(__file__).parent.parent.parent
    server = load_profile(root / "docs" / "examples" / "server.json")
    reading = hashed("scrypt", {"n": 1048576, "r": 4, "p": 8})
    found = explained(reading, profile=server)
    sweep = "`calibrate sweep scrypt --costs 1048576 --params r=4,p=8 --budget 60s`"
    assert f"only r=8 was measured; {sweep} times it if one hash takes less" == found.untimed
