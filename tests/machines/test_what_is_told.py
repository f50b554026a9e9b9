"""What is told of a host, of an inventory, and of a cost that nobody can judge."""

import datetime as dt
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.machine import HostIdentity
from hashcost.core.profile import Profile
from hashcost.machines.comparison import compare
from hashcost.machines.deciding import decided, decision_of
from hashcost.machines.fleet import Folder, HostOutcome, HostResult, Wanted
from hashcost.machines.hosts import FleetHost, hosts_of
from hashcost.machines.model import Step
from hashcost.machines.profile_files import MeasuredMachine, load_machines, machine_of
from hashcost.machines.running import Ended
from hashcost.storage.decision import Decision
from hashcost.storage.profile import load_profile, save_profile
from made_up import MEMORY_HARD_FILE, PROFILE_FILE

SAVED: Final = load_profile(PROFILE_FILE)
MEMORY: Final = load_profile(MEMORY_HARD_FILE)
WEB: Final = FleetHost(name="web1")
DAY: Final = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)


def test_each_outcome_of_a_host_is_told_whole(tmp_path: Path) -> None:
    """Its name, how long it took, and why it failed or where its profile is."""
    wanted = Wanted(target_seconds=SAVED.target_seconds, runtime="made-up", hashers=())
    fleet = Folder(path=tmp_path, wanted=wanted)
    fleet.take(Ended(host=WEB, seconds=2.0, profile=None, error="no shell"))
    failed = HostResult(host="web1", outcome=HostOutcome.FAILED, seconds=2.0, error="no shell")
    assert failed == fleet.results[WEB]

    fleet.take(Ended(host=WEB, seconds=3.0, profile=SAVED))
    assert fleet.results[WEB] == HostResult(
        host="web1",
        outcome=HostOutcome.MEASURED,
        seconds=3.0,
        source=str(tmp_path / WEB.file_name),
        created=SAVED.created,
    )


@pytest.mark.parametrize(
    ("listed", "why"), [(b"", "Input data was truncated"), (b"[]", "Expected `object`")]
)
def test_an_inventory_that_cannot_be_read_says_why(listed: bytes, why: str) -> None:
    """The reason of the reader is in the message."""
    with pytest.raises(UnreadableInputError, match=f"prints no inventory: .*{why}"):
        hosts_of(listed)


def machines(profile: Profile) -> list[MeasuredMachine]:
    """Two hosts with this profile."""
    return [
        machine_of(
            replace(profile, host=HostIdentity(name=name)), name=name, source=f"{name}.json"
        )
        for name in ("web1", "web2")
    ]


@pytest.mark.parametrize("known", ["its time", "its params"])
def test_a_committed_cost_that_nobody_can_judge_stays(known: str) -> None:
    """One that was decided on without an interval, or whose memory no host timed, is kept."""
    found = compare(machines(MEMORY), target_seconds=0.04, policies=(), committed=Decision())
    first = decision_of(decided(found, Decision(), now=DAY))
    cost = next(cost for cost in first.cost if cost.hasher == "argon2id")
    other = cost.params | {"time_cost": cost.params["time_cost"] + 1}
    if known == "its time":
        cost = replace(cost, params=other | {"memory_kib": 2**24})
    else:
        cost = replace(cost, params=other, interval_seconds=None)
    committed = Decision(cost=(cost,))
    again = compare(machines(MEMORY), target_seconds=0.04, policies=(), committed=committed)
    (kept,) = [
        outcome
        for outcome in decided(again, committed, now=DAY)
        if outcome.cost.label == cost.label
    ]

    assert (Step.KEPT, cost.params) == (kept.step, kept.cost.params)


def test_a_comparison_needs_two_machines(tmp_path: Path) -> None:
    """The message says whether there was one file or none."""
    save_profile(SAVED, tmp_path / "web1.json", typed=False)
    others = tmp_path / "others"
    others.mkdir()
    (others / "package.json").write_text("{}")
    advice = "to compare; name at least two profiles, or a folder of them"
    for given, counted in ((tmp_path / "web1.json", "one file"), (others, "nothing")):
        with pytest.raises(UsageError) as caught:
            load_machines([given])
        assert f"{counted} {advice}" == str(caught.value)


def test_a_decision_says_what_memory_a_hash_takes() -> None:
    """The memory of the cost that was decided on, in bytes."""
    found = compare(machines(MEMORY), target_seconds=0.04, policies=(), committed=Decision())
    costs = [
        cost
        for cost in decision_of(decided(found, Decision(), now=DAY)).cost
        if cost.hasher == "argon2id"
    ]

    assert costs
    assert [cost.params["memory_kib"] * 1024 for cost in costs] == [
        cost.memory_bytes for cost in costs
    ]
