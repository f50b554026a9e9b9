"""What a host is asked to time, and the profile that it becomes here."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec
import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from collection import linked
from corpora import table
from end_to_end.fleet_hosts import old_python
from hashcost.core.errors import UnreadableInputError
from hashcost.core.profile import Profile, Recommendation
from hashcost.machine.host import this_host
from hashcost.machines.comparison import compare
from hashcost.machines.deciding import decided
from hashcost.machines.profile_files import machine_of
from hashcost.recommend.recorded import profile_from_json
from hashcost.render.commands.compare import decision_remarks
from hashcost.runtimes.recording import HASHERS
from hashcost.storage.decision import Decision

TARGET: Final = 0.1
UNIT: Final = {"rounds": 2e-7, "iterations": 1.6e-7, "cost": 2.4e-5}
"""Seconds of one unit of work on a made-up host."""


class MadeUpHost:
    """A probe that takes no time, and says that it took what the made-up host takes."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.now = 0.0
        self.wrong: set[str] = set()
        self.absent: set[str] = set()

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What the probe would."""
        hasher = asked["hasher"]
        if hasher in self.absent:
            raise self.module.probe.Unavailable("there is no libcrypt with crypt_r")
        if asked["op"] == "load":
            return {"version": "crypt(3)", "salt": "given"}
        taken = self.seconds(asked["params"])
        self.now += taken
        times = {"cpu": taken, "wall": taken, "system": 0.0, "faults": 0}
        return {"output": self.output(asked), **times}

    def output(self, asked: dict[str, Any]) -> str:
        """A known answer, or what begins like a hash and is as long."""
        hasher, params = asked["hasher"], asked["params"]
        for known in self.module.HASHERS[hasher]["known_answers"]:
            if (known["password"], known["params"]) == (asked["password"], params):
                found = str(known["output"])
                if hasher in self.wrong:
                    found = found.replace("a", "b")
                return found if asked["length"] else found.encode().hex()
        setting = str(self.module.SETTINGS.get(hasher, "")).format(**params)
        return f"{setting}abcdef".encode().hex() + "00" * int(asked["length"])

    def seconds(self, params: dict[str, int]) -> float:
        """What one hash takes there."""
        if "n" in params:
            return 2e-9 * params["n"] * params["r"] * params["p"] * 128
        ((name, value),) = params.items()
        return 1e-5 + UNIT[name] * (2.0**value if name == "cost" else value)


@pytest.fixture
def made_up(measuring: ModuleType, monkeypatch: pytest.MonkeyPatch) -> MadeUpHost:
    """Stands in for the host's libraries and its clock."""
    found = MadeUpHost(measuring)
    monkeypatch.setattr(measuring.probe, "answer", found.answer)
    monkeypatch.setattr(measuring.time, "monotonic", lambda: found.now)
    return found


def measured(
    measuring: ModuleType, *names: str, budget: float = 15.0, watch: float = 1.0
) -> dict[str, Any]:
    """What a run returns, through JSON as Ansible sends it."""
    found = measuring.measure(list(names) or list(HASHERS), TARGET, budget, watch, "web1")
    returned: dict[str, Any] = json.loads(json.dumps(found))
    return returned


def solved(document: dict[str, Any]) -> Profile:
    """The profile of a document."""
    return profile_from_json(json.dumps(document).encode(), name="web1.json")


def rows(profile: Profile) -> dict[str, Recommendation]:
    """The answers by hasher."""
    return {each.hasher: each for each in profile.recommendations}


def test_costs_are_those_that_take_the_target(measuring: ModuleType, made_up: MadeUpHost) -> None:
    """Every hasher gets the cost that takes just the target, and an interval around it."""
    found = rows(solved(measured(measuring)))

    assert set(HASHERS) == set(found)
    for hasher, row in found.items():
        takes = made_up.seconds(row.params)
        assert row.time_seconds == pytest.approx(takes, rel=0.01)
        assert takes <= TARGET * 1.005
        assert row.interval_seconds is not None, hasher
    assert found["bcrypt"].params == {"cost": 12}
    assert found["sha512-crypt"].params["rounds"] == pytest.approx(499_000, rel=0.01)
    assert found["sha512-crypt"].implementation == "libcrypt"
    assert found["scrypt"].params["n"] >= 1 << 15


def test_a_wrong_answer_is_never_timed(measuring: ModuleType, made_up: MadeUpHost) -> None:
    """A library that computes something else fails alone, before a single sample."""
    made_up.wrong, made_up.absent = {"pbkdf2-sha256"}, {"bcrypt"}
    document = measured(measuring, "sha512-crypt", "pbkdf2-sha256", "bcrypt")
    taken = {each["hasher"]: len(each["samples"]) for each in document["hashers"]}
    profile = solved(document)

    assert taken["sha512-crypt"] > 12
    assert (0, 0) == (taken["pbkdf2-sha256"], taken["bcrypt"])
    assert ["sha512-crypt"] == list(rows(profile))
    assert {
        "pbkdf2-sha256": "computed a wrong hash for a known answer",
        "bcrypt": "there is no libcrypt with crypt_r",
    } == {each.hasher: each.error for each in profile.failures}


def test_another_cost_than_asked_for_is_refused(
    measuring: ModuleType, made_up: MadeUpHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that clamps a cost gives no number."""
    clamped = {"sha512-crypt": "$6$rounds=1000$"}
    monkeypatch.setattr(
        made_up, "output", lambda asked: clamped[asked["hasher"]].encode().hex() + "00"
    )
    monkeypatch.setitem(measuring.HASHERS["sha512-crypt"], "known_answers", [])
    (only,) = measured(measuring, "sha512-crypt")["hashers"]

    assert only["error"] == "returned no hash of the cost that was asked for"


def test_the_budget_is_kept(measuring: ModuleType, made_up: MadeUpHost) -> None:
    """No hash is started that would end beyond the budget."""
    document = measured(measuring, "bcrypt", "sha512-crypt", budget=0.15, watch=0.1)

    assert document["duration_seconds"] <= 0.16
    assert all(each["samples"] for each in document["hashers"])
    assert {each.params["cost"] for each in solved(document).measurements[0].samples} < {
        *range(12)
    }


def test_the_host_is_named(measuring: ModuleType, made_up: MadeUpHost) -> None:
    """The profile tells the host's name, id, facts and hours, as one of this machine does."""
    document = measured(measuring, "bcrypt")
    document["libraries"]["openssl_ia32cap"] = ":~0x20000000"
    profile, here = solved(document), this_host()

    assert profile.host is not None
    assert (profile.host.name, profile.host.id) == ("web1", here.identity().id)
    assert profile.created.isoformat() == document["ended"]
    told, own = profile.machine, here.describe()
    for fact in ("cpu_model", "cpu_count", "cpu_flags", "cpu_limit", "memory_bytes", "kernel"):
        assert getattr(told, fact) == getattr(own, fact)
    assert told.openssl_ia32cap == ":~0x20000000"


@pytest.mark.parametrize("limit", ["memory.max", "memory.high", "memory.limit_in_bytes"])
def test_a_host_counts_every_limit_of_memory(host: ModuleType, limit: str) -> None:
    """What a control group still leaves is told by the same files as where `calibrate` runs."""
    used = "memory.current"
    if limit == "memory.limit_in_bytes":
        used = "memory.usage_in_bytes"
    group = "sys/fs/cgroup/pod"
    assert {limit, used} <= {*host.GROUP}
    assert 50 == host.free_memory({f"{group}/{limit}": "950\n", f"{group}/{used}": "900\n"})


def test_what_is_returned_is_what_the_schema_says(
    measuring: ModuleType, made_up: MadeUpHost
) -> None:
    """The published schema of samples describes what a host returns."""
    made_up.absent = {"bcrypt"}
    schema = Path(__file__).parents[2] / "docs" / "schemas" / "samples.schema.json"
    validator = Draft202012Validator(json.loads(schema.read_text("utf-8")))

    assert [] == [error.message for error in validator.iter_errors(measured(measuring))]
    assert list(validator.iter_errors({"kind": "samples"}))


def test_no_secret_leaves_the_host(measuring: ModuleType, made_up: MadeUpHost) -> None:
    """Neither hashes nor the machine id are in what is returned."""
    text = json.dumps(measured(measuring, "bcrypt", "sha512-crypt"))

    assert "$2b$" not in text
    assert "$6$" not in text
    machine_id = Path("/etc/machine-id")
    if machine_id.is_file() and machine_id.read_text().strip():
        assert machine_id.read_text().strip() not in text


def test_readings_tell_a_shared_core(
    measuring: ModuleType, made_up: MadeUpHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was timed while a neighbour used the core does not set the cost."""
    quiet = made_up.seconds

    def seconds(params: dict[str, int]) -> float:
        shared = 1.1 if "cost" in params else 2.0
        return quiet(params) * (shared if 0.3 < made_up.now % 1.0 < 0.7 else 1.0)

    monkeypatch.setattr(made_up, "seconds", seconds)
    document = measured(measuring, "sha512-crypt", watch=4.0)

    assert len(document["readings"]) > 50
    row = rows(solved(document))["sha512-crypt"]
    assert row.params["rounds"] == pytest.approx(499_000, rel=0.02)


def test_hosts_that_nobody_shares_are_decided_on(
    measuring: ModuleType, made_up: MadeUpHost
) -> None:
    """A host that was watched for a while is believed; what is known less well is said."""
    names = ("bcrypt", "pbkdf2-sha256", "sha512-crypt", "yescrypt")
    documents = [measured(measuring, *names) for _ in range(2)]
    for document in documents:  # Of a CPU whose quiet ratios nobody recorded.
        document["files"]["proc/cpuinfo"] = "model name : Fake CPU\n"
    profiles = [solved(document) for document in documents]
    machines = [
        machine_of(profile, name=name, source=name)
        for profile, name in zip(profiles, ("web1", "web2"), strict=True)
    ]
    comparison = compare(machines, target_seconds=TARGET, committed=Decision())
    outcomes = decided(comparison, Decision(), now=profiles[0].created)

    assert {*names} == {outcome.cost.hasher for outcome in outcomes}
    assert not any("may take" in remark for remark in decision_remarks(comparison, outcomes))
    wide = replace(outcomes[0].cost, interval_seconds=(0.02, 0.11))
    (remark,) = decision_remarks(comparison, [msgspec.structs.replace(outcomes[0], cost=wide)])
    assert "though one hash may take only 20.0 ms" in remark


@table("place, value, told")
def test_damage_is_refused(
    measuring: ModuleType, made_up: MadeUpHost, place: tuple[Any, ...], value: Any, told: str
) -> None:
    """A document that cannot be is refused in one line, which names the file."""
    document: Any = measured(measuring, "bcrypt", watch=0.1)
    *path, last = place
    inner = document
    for key in path:
        inner = inner[key]
    inner[last] = value

    with pytest.raises(UnreadableInputError, match=r"^web1\.json .*") as refused:
        solved(document)
    assert told in str(refused.value)


def test_the_oldest_python_measures(tmp_path: Path) -> None:
    """On the oldest Python here, with its own libraries, and for real."""
    python = old_python() or Path(sys.executable)
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from ansible_collections.hashcost.calibrate.plugins.module_utils import measuring\n"
        "print(json.dumps(measuring.measure(sys.argv[2:], 0.005, 5.0, 0.2, None)))\n"
    )
    ended = subprocess.run(
        [python, "-c", program, linked(tmp_path), "sha512-crypt", "pbkdf2-sha256"],
        capture_output=True,
        check=True,
    )
    found = rows(profile_from_json(ended.stdout, name="web1.json"))

    assert {"sha512-crypt", "pbkdf2-sha256"} == set(found)
    assert all(row.time_seconds <= 0.0051 for row in found.values())
