"""A whole sweep on a clock that only moves when told: its rows, its profile, its exit code."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from corpora import table
from fakes import LINEAR, MIB, FakeClock, FakeCore, FakeHasher, FakeLadder, broken, swept
from hashcost.cli.commands.sweep import ending
from hashcost.core.errors import UnavailableError, UsageError
from hashcost.recommend.recommendation import solve_again
from hashcost.recommend.sweeping import Sweep, SweepRow
from hashcost.render import render
from hashcost.render.commands.sweep import sweep_document
from hashcost.storage.profile import load_profile, save_profile


def row(found: Sweep, cost: int) -> SweepRow:
    """The row of this cost."""
    return next(row for row in found.rows if row.cost == cost)


def test_every_cost_has_its_figures(clock: FakeClock) -> None:
    """A cost that was timed has its time, interval, rate and distance from the fit."""
    found = swept(clock, FakeHasher(clock, slow=lambda: 2.0), costs="1000,10000,100000")
    middle = row(found, 10000)

    assert [1000, 10000, 100000] == [row.cost for row in found.rows]
    assert ("measured", 12) == (middle.status, middle.samples)
    assert middle.time_seconds == pytest.approx(0.01)
    assert middle.wall_seconds == pytest.approx(0.02)
    assert middle.hashes_per_second == pytest.approx(100)
    assert middle.low_seconds < middle.time_seconds < middle.high_seconds
    assert middle.residual == pytest.approx(0.0, abs=1e-9)


def test_what_does_not_fit_the_budget_is_predicted(clock: FakeClock) -> None:
    """It is never timed, and its time is the fit's."""
    hasher = FakeHasher(clock, overhead=1e-4)
    found = swept(clock, hasher, costs="1000,10000,100000000", budget_seconds=1.0)
    dear = row(found, 100000000)

    assert ["measured", "measured", "predicted"] == [row.status for row in found.rows]
    assert dear.time_seconds == pytest.approx(100.0001, rel=0.01)
    assert (0, None, None) == (dear.samples, dear.wall_seconds, dear.residual)
    assert 100000000 not in {call.value for call in hasher.calls}
    assert found.profile.duration_seconds < 1.0


def test_no_cost_is_timed_just_once(clock: FakeClock) -> None:
    """One that the budget has room for once, but not three times, is predicted."""
    found = swept(clock, FakeHasher(clock), costs="1000,400000", budget_seconds=1.0)

    assert "predicted" == row(found, 400000).status


def test_what_else_the_core_did_is_taken_away(clock: FakeClock) -> None:
    """A cost on a shared core has the time that it takes on a quiet one."""
    core = FakeCore(clock=clock, shared=[(0.0, 1e9)])
    found = swept(
        clock, FakeHasher(clock, noise=core.slowing), costs="10000,20000", probe=core.start
    )

    assert core.slowing() > 1.2
    assert row(found, 20000).time_seconds == pytest.approx(0.02, rel=0.05)


def test_one_cost_off_the_line_is_seen(clock: FakeClock) -> None:
    """The fit is not bent by it, and its row says how far it lies off."""
    hasher = FakeHasher(clock, surcharge=lambda value: 2e-3 * (value == 20000))
    found = swept(clock, hasher, costs="1000,5000,20000,50000,80000")

    assert row(found, 20000).residual == pytest.approx(0.1, abs=0.02)
    assert row(found, 50000).residual == pytest.approx(0.0, abs=0.02)


def test_memory_is_swept_within_what_is_allowed(clock: FakeClock) -> None:
    """A step that needs more than is allowed is predicted, whatever time there is."""
    hasher = FakeLadder(clock)
    found = swept(clock, hasher, costs="4..128", memory_bytes=64 * MIB, budget_seconds=9.0)

    assert ["measured"] * 5 + ["predicted"] == [row.status for row in found.rows]
    assert row(found, 64).memory_bytes == 64 * MIB
    assert row(found, 64).time_seconds == pytest.approx(0.064, rel=0.05)
    assert 128 not in {call.value for call in hasher.calls}


def test_other_params_are_set_beside_the_cost(clock: FakeClock) -> None:
    """All that is swept is timed with them; the one that is swept is refused."""
    found = swept(clock, FakeLadder(clock), costs="4..16", params="passes=3", budget_seconds=9.0)

    assert all("passes=3" in row.params for row in found.rows)
    assert row(found, 16).time_seconds == pytest.approx(0.048, rel=0.05)
    with pytest.raises(UsageError, match="--params"):
        swept(clock, FakeHasher(clock), params="rounds=3")


def test_without_costs_some_around_the_target_are_timed(clock: FakeClock) -> None:
    """Each of them is shown, and none that took longer than a little beyond the target."""
    found = swept(clock, FakeHasher(clock), target_seconds=0.1)

    assert {2000, 10000, 100000} <= {row.cost for row in found.rows}
    assert all(row.time_seconds < 0.14 for row in found.rows)


def test_a_cost_that_there_is_not_is_refused(clock: FakeClock) -> None:
    """In one line that names the range, and no hash is timed at another cost instead."""
    with pytest.raises(UsageError, match=r"--costs: \w+ of fake must be \d+ to \d+, not 0"):
        swept(clock, FakeHasher(clock), costs="0,1000")


def test_a_sweep_is_saved_as_a_profile(clock: FakeClock, tmp_path: Path) -> None:
    """It answers any target that is asked of it later, as any profile does."""
    found = swept(clock, FakeHasher(clock), costs="1000,10000,100000", target_seconds=0.25)
    save_profile(found.profile, tmp_path / "p.json")
    profile = load_profile(tmp_path / "p.json")
    (answer,) = solve_again(profile, 0.05).recommendations

    assert profile == found.profile
    assert answer.params["rounds"] == pytest.approx(50000, rel=0.02)


@table("options, code")
def test_a_hasher_that_says_nothing_is_inconclusive(
    clock: FakeClock, options: dict[str, Any], code: int
) -> None:
    """Where no cost that was asked for was timed; a target out of reach is no failure."""
    assert code == ending(swept(clock, FakeHasher(clock), **options))[0]


def test_an_inconclusive_sweep_says_why(clock: FakeClock) -> None:
    """Costs without a timed one, and times that are too uncertain, end with 3 and the cure."""
    cure = "give more time with --budget"
    untimed = swept(clock, FakeHasher(clock), costs="100000000", budget_seconds=1.0)
    assert (3, f"no cost of fake@memory was timed: {cure}") == ending(untimed)

    timed = swept(clock, FakeHasher(clock), costs="1000,10000")
    (answered,) = timed.profile.recommendations
    for low, code in ((0.76, 0), (0.5, 3)):
        seconds = answered.time_seconds
        doubtful = structs.replace(answered, interval_seconds=(low * seconds, seconds))
        profile = structs.replace(timed.profile, results=(doubtful,))
        ended, why = ending(Sweep(profile=profile, rows=timed.rows))
        assert code == ended
        if code:
            assert f"too uncertain: fake@memory (±50%); {cure}" == why


def test_each_implementation_has_its_own_costs(clock: FakeClock) -> None:
    """Two of one hasher are swept apart."""
    hashers = (FakeHasher(clock), FakeHasher(clock, implementation="other"))
    found = swept(clock, *hashers, names=["fake@memory=1000,2000", "fake@other=5000"])

    assert [("memory", 1000), ("memory", 2000), ("other", 5000)] == [
        (row.implementation, row.cost) for row in found.rows
    ]


def test_one_hasher_fails_alone(clock: FakeClock) -> None:
    """The others are timed, and the sweep ends with its code and its reason."""
    missing = broken("gone@memory", UnavailableError("is not installed"))
    found = swept(clock, FakeHasher(clock), missing, costs="1000")

    assert 4 == ending(found)[0]
    assert ["fake"] == [row.hasher for row in found.rows]
    assert "is not installed" in sweep_document(found).foot[0]


def test_the_table_tells_timed_from_predicted(clock: FakeClock) -> None:
    """Each row has its time with an error, a predicted one its mark, which a note explains."""
    hashers = (FakeHasher(clock, name="one"), FakeHasher(clock, name="two"))
    document = sweep_document(swept(clock, *hashers, costs="1000,100000000", target_seconds=0.1))
    shown = render(document, "table", width=80)

    assert ["one, memory 1.0", "two, memory 1.0"] == [table.title for table in document.tables]
    assert [["1.00", "ms"], ["~100", "s"]] == [
        row[1].split()[:2] for row in document.tables[0].rows
    ]
    assert document.notes[0].startswith("one@memory: fitted: 1.00 µs × rounds")
    assert "~ predicted" in document.notes[-1]
    assert re.search(r"one@memory rounds=\d+ fits a target of 100 ms, by the fit", shown)


def test_a_weak_cost_that_fits_is_not_recommended(clock: FakeClock) -> None:
    """A sweep asks for no minimum, so that its last line says which side of it the cost is on."""
    knob = structs.replace(LINEAR, name="iterations")
    hasher = FakeHasher(clock, name="pbkdf2-sha256", knob=knob)
    for target, stands in ((0.1, "misses"), (1.0, "meets")):
        (answer,) = sweep_document(
            swept(clock, hasher, costs="1000,100000", target_seconds=target)
        ).answer
        assert answer.endswith(f", by the fit, and {stands} owasp.")
