"""Samples of another host, read back as a profile of that host."""

import json
from typing import Any

import pytest

from hashcost.core.errors import UnreadableInputError
from hashcost.core.profile import Failure
from hashcost.recommend.recorded import profile_from_json
from hashcost.runtimes.recording import recording_from_json
from hashcost.storage.profile import load_profile
from made_up import PROFILE_FILE, SAMPLES_FILE


@pytest.fixture
def document() -> dict[str, Any]:
    """A run on one host, with samples of bcrypt, sha512-crypt and scrypt."""
    decoded: dict[str, Any] = json.loads(SAMPLES_FILE.read_bytes())
    return decoded


def changed_params(document: dict[str, Any], at: int, factor: int) -> None:
    """Multiply every param of the samples of one hasher, but for those of each third one."""
    for number, sample in enumerate(document["hashers"][at]["samples"]):
        if number % 3:
            sample["params"] = {name: value * factor for name, value in sample["params"].items()}


def test_a_profile_is_read_as_it_is() -> None:
    """A file that holds a profile, and no samples of another host, is that profile."""
    assert load_profile(PROFILE_FILE) == profile_from_json(PROFILE_FILE.read_bytes(), name="it")


@pytest.mark.parametrize("at", [0, 2], ids=["bcrypt", "scrypt"])
def test_a_cost_ten_times_as_high_is_refused(document: dict[str, Any], at: int) -> None:
    """A cost that the algorithm does not allow, or that took another time, is damage."""
    changed_params(document, at, 10)
    with pytest.raises(UnreadableInputError, match=r"^it is damaged: "):
        profile_from_json(json.dumps(document).encode(), name="it")


@pytest.mark.parametrize(("count", "is_read"), [(10_000, True), (10_001, False)])
def test_samples_beyond_the_largest_number_are_damage(
    document: dict[str, Any], count: int, *, is_read: bool
) -> None:
    """No run times a hasher more than 10,000 times, so a longer list is refused as damaged."""
    hasher = document["hashers"][0]
    hasher["samples"] = [hasher["samples"][0]] * count
    content = json.dumps(document).encode()
    if is_read:
        recording = recording_from_json(content, name="it")
        assert count == len(recording.hashers[0].samples)
    else:
        with pytest.raises(UnreadableInputError, match=r"^it is damaged: "):
            recording_from_json(content, name="it")


@pytest.mark.parametrize("has_samples", [True, False])
def test_samples_that_tell_nothing_are_a_row(
    document: dict[str, Any], *, has_samples: bool
) -> None:
    """A hasher with times that no clock tells, or without samples, has a row that says so."""
    hasher = document["hashers"][0]
    for sample in hasher["samples"]:
        sample["cpu_seconds"] = sample["wall_seconds"] = 1e-300
    if not has_samples:
        hasher["samples"] = []
    row = profile_from_json(json.dumps(document).encode(), name="it").results[0]
    assert isinstance(row, Failure)
    assert "inconclusive" == row.code


def test_a_group_is_found_after_the_run_as_before(document: dict[str, Any]) -> None:
    """The files that are read again after a run are those of the same control group."""
    group = "sys/fs/cgroup/app"
    document["files"] = {
        "proc/self/cgroup": "0::/app\n",
        f"{group}/cpu.max": "50000 100000\n",
        f"{group}/cpu.stat": "usage_usec 1000000\n",
    }
    document["files_after"] = {f"{group}/cpu.stat": "usage_usec 3000000\n"}
    recording = recording_from_json(json.dumps(document).encode(), name="it")
    assert [1.0, 3.0] == [each.groups[0].cpu_seconds for each in recording.counters()]


def test_a_measurement_names_the_clock_of_its_host(document: dict[str, Any]) -> None:
    """Samples are on the clock of the host that hashed, whatever this machine has."""
    profile = profile_from_json(json.dumps(document).encode(), name="it")
    assert {document["clock"]} == {one.clock for one in profile.measurements}
