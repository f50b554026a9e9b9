"""What `calibrate compare` shows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from fakes import slowed_profile
from hashcost.compare.comparison import compare
from hashcost.compare.machines import machine_of
from hashcost.compare.model import Comparison
from hashcost.core.profile import Profile
from hashcost.core.units import format_list
from hashcost.render import render
from hashcost.render.commands.compare import comparison_document
from hashcost.render.wording import named
from hashcost.worth.policies.catalogue import load_policy
from measured import EVERY, HARD
from snapshots import Snapshot

OWASP = load_policy("owasp")


def side_by_side(
    *profiles: Profile, names: str = "abcdefgh", hashers: tuple[str, ...] = ()
) -> Comparison:
    """The comparison with the first of them, at 40 ms."""
    machines = [
        machine_of(profile, name=name, source=f"{name}.json")
        for name, profile in zip(names, profiles, strict=False)
    ]
    return compare(
        machines,
        target_seconds=0.04,
        policies=(OWASP,),
        hashers=hashers,
    )


def table(comparison: Comparison, width: int = 80) -> str:
    """The table as a terminal shows it."""
    return render(comparison_document(comparison, policies=(OWASP,)), "table", width=width)


def elsewhere(profile: Profile, **facts: object) -> Profile:
    """The profile of another machine."""
    machine = replace(profile.machine, **facts)
    return replace(profile, machine=machine)


SLOW = elsewhere(slowed_profile(EVERY, 2.0), cpu_model="AMD EPYC 7571", cpu_flags=("avx2",))


def test_a_table_for_each_hasher(snapshot: Snapshot) -> None:
    """Each machine has its cost, its time, the time at the cost for all, and its speed."""
    text = table(side_by_side(EVERY, SLOW, hashers=("sha512-crypt", "bcrypt@bcrypt")))

    snapshot(text)


def test_two_implementations_are_told_apart() -> None:
    """Where a hasher has a table for each implementation, every word of it says which."""
    text = table(side_by_side(EVERY, SLOW, hashers=("bcrypt",)))

    assert "bcrypt@bcrypt    cost=8" in text
    assert "bcrypt@libcrypt: the common cost misses" in text


def test_no_difference_is_said_with_its_width() -> None:
    """Where the interval of the ratio encloses 1, that is said in place of a ratio."""
    other = elsewhere(EVERY, cpu_model="AMD EPYC 7571")
    text = table(side_by_side(EVERY, other, hashers=("sha512-crypt",)))

    assert "no difference ±1.8%" in text
    assert "the interval of the ratio includes 1" in text


def _only(profile: Profile, hasher: str) -> Profile:
    return profile.only(*(row for row in profile.results if row.hasher == hasher))


def test_another_baseline_is_said() -> None:
    """A hasher that the baseline lacks is compared with another machine, and a note says so."""
    comparison = side_by_side(
        _only(EVERY, "bcrypt"), EVERY, SLOW, hashers=("bcrypt@bcrypt", "sha512-crypt")
    )
    text = table(comparison)

    assert "a has no sha512-crypt; its speeds are relative to b\n" in text
    assert "sha512-crypt on a: not measured" not in text
    assert "has no" not in table(side_by_side(EVERY, SLOW))


def test_what_is_compared_with_nothing_is_named() -> None:
    """One line names the hashers that only one file has."""
    text = " ".join(table(side_by_side(EVERY, _only(SLOW, "bcrypt"))).split())
    others = [row.hasher for row in EVERY.recommendations if row.hasher != "bcrypt"]

    assert f"only a has {format_list([*dict.fromkeys(others)])}, so nothing is compared" in text


def test_memory_is_compared_at_what_both_timed(snapshot: Snapshot) -> None:
    """A setting that is not the one for all is named beside the speed that rests on it."""
    slow = elsewhere(slowed_profile(HARD, 2.0), cpu_model="AMD EPYC 7571")
    snapshot(table(side_by_side(HARD, slow)))


@pytest.mark.parametrize("width", [64, 80, 120])
def test_many_machines_stay_readable(width: int) -> None:
    """Every kind of machine has its row, and no line of figures breaks."""
    names = tuple(f"web{index:03}" for index in range(40))
    profiles = [
        elsewhere(slowed_profile(EVERY, 1.1**index), virtualization=f"kind {index}")
        for index in range(40)
    ]
    text = table(
        side_by_side(*profiles, names=names, hashers=("bcrypt@bcrypt",)),  # type: ignore[arg-type]
        width=width,
    )

    assert all(name in text for name in names)
    assert max(map(len, text.splitlines())) <= width
    rows = [line for line in text.splitlines() if line.startswith("web") and "ms ±" in line]
    assert 40 == len(rows)


def test_of_many_names_a_few_are_told() -> None:
    """A sentence about many machines names some of them, and says how many more there are."""
    assert "a" == named(["a"])
    assert "a, b and c" == named(["a", "b", "c"])
    assert "0, 1, 2, 3, 4 and 95 others" == named([str(index) for index in range(100)])


def test_records_are_flat_and_whole() -> None:
    """CSV has a record for each hasher on each machine, with ratios that are not rounded."""
    comparison = side_by_side(EVERY, SLOW)
    document = comparison_document(comparison, policies=(OWASP,))
    record = next(record for record in document.records if record["machine"] == "b")

    assert sum(len(hasher.rows) for hasher in comparison.hashers) == len(document.records)
    assert all({*record} == {*document.fields} for record in document.records)
    assert ("slower", "cpu_model") == (record["standing"], record["differs_in"])


def test_machines_beyond_the_target_are_named() -> None:
    """Of many alike, one that takes longer than the target for the cost for all is named."""
    found = side_by_side(
        *[EVERY] * 9,
        slowed_profile(EVERY, 1.4),
        names="abcdefghij",
        hashers=("sha512-crypt",),
    )
    said = " ".join(table(found).split())

    assert "sha512-crypt: j takes 55.8 ms for the cost for all, longer than the target" in said
    assert "a row stands for machines with the same CPU, library and limits" in said
