"""What `calibrate compare` shows."""

import datetime as dt

import pytest
from msgspec.structs import replace

from corpora import table
from fakes import slowed_profile
from hashcost.core.profile import Profile
from hashcost.machines.comparison import compare
from hashcost.machines.fleet import Fleet, HostOutcome, HostResult
from hashcost.machines.model import Comparison
from hashcost.machines.profile_files import machine_of
from hashcost.render import render
from hashcost.render.commands.compare import comparison_document
from hashcost.render.commands.fleet import fleet_document
from hashcost.render.wording import named
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import Floor
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
    return compare(machines, target_seconds=0.04, policies=(OWASP,), hashers=hashers)


def shown(comparison: Comparison, width: int = 80) -> str:
    """The table as a terminal shows it."""
    return render(comparison_document(comparison), "table", width=width)


def elsewhere(profile: Profile, **facts: object) -> Profile:
    """The profile of another machine."""
    machine = replace(profile.machine, **facts)
    return replace(profile, machine=machine)


SLOW = elsewhere(slowed_profile(EVERY, 2.0), cpu_model="AMD EPYC 7571", cpu_flags=("avx2",))


def test_a_fleet_says_its_target_once() -> None:
    """What is compared below the hosts does not repeat how many there are, nor the target."""
    hosts = tuple(
        HostResult(host=name, outcome=HostOutcome.MEASURED, seconds=1.0) for name in "ab"
    )
    fleet = Fleet(target_seconds=0.04, hosts=hosts, comparison=side_by_side(EVERY, SLOW))
    text = render(fleet_document(fleet), "table")

    assert 1 == text.count("one hash in at most 40.0 ms")


def test_two_implementations_are_told_apart() -> None:
    """Where a hasher has a row for each implementation, every word of it says which."""
    text = shown(side_by_side(EVERY, SLOW, hashers=("bcrypt",)))

    assert "bcrypt@bcrypt    cost=10" in text
    assert "bcrypt@libcrypt and bcrypt@bcrypt: the policy's minimum takes longer" in text


@pytest.mark.parametrize(
    ("versions", "words"),
    [(("1", "1"), "Hashed by bcrypt 1"), (("1", "2"), "Hashed by bcrypt 1 (a); bcrypt 2 (b)")],
)
def test_a_library_names_machines_where_versions_differ(
    versions: tuple[str, str], words: str
) -> None:
    """A version that all machines have stands alone; of several, each names its machines."""
    comparison = side_by_side(EVERY, SLOW, hashers=("bcrypt",))
    compared = comparison.hashers[0]
    rows = tuple(
        replace(row, implementation="bcrypt", implementation_version=version)
        for row, version in zip(compared.rows, versions, strict=True)
    )
    document = comparison_document(
        replace(comparison, hashers=(replace(compared, rows=rows),)), explained=True
    )

    assert words == document.head[-1]


def test_the_head_has_the_days_and_a_note_the_masks_that_differ() -> None:
    """One day stands once, several as a span; OpenSSL's mask is said if others have none."""
    later = replace(SLOW, created=EVERY.created + dt.timedelta(days=3))
    masked = elsewhere(later, openssl_ia32cap="~0x200000000000000")
    note = "b: OPENSSL_ia32cap ~0x200000000000000"

    same = comparison_document(side_by_side(EVERY, SLOW))
    other = comparison_document(side_by_side(EVERY, masked))
    masked_too = elsewhere(EVERY, openssl_ia32cap="~0x200000000000000")
    both = comparison_document(side_by_side(masked_too, masked))

    assert "measured 2026-11-20, one hash" in same.head[0]
    assert "measured 2026-11-20 to 2026-11-23, one hash" in other.head[0]
    assert note in other.notes
    assert not [line for line in (*same.notes, *both.notes) if "ia32cap" in line]


def _only(profile: Profile, hasher: str) -> Profile:
    return profile.only(*(row for row in profile.results if row.hasher == hasher))


def test_a_hasher_that_one_lacks_is_said() -> None:
    """A machine without a hasher is named, and the sentence at the end leaves it out."""
    few = _only(EVERY, "bcrypt")
    text = shown(side_by_side(few, EVERY, SLOW, hashers=("sha512-crypt", "bcrypt@bcrypt")))

    assert "sha512-crypt on a: not measured\n" in text
    assert "Use bcrypt cost=10 on all 3 machines" in text
    alone = shown(side_by_side(few, EVERY, SLOW, hashers=("sha512-crypt",)))
    assert "Use sha512-crypt rounds=79500 on b and c: it keeps the target" in alone


def test_memory_is_compared_at_what_both_timed(snapshot: Snapshot) -> None:
    """Settings in memory have a time on both machines."""
    slow = elsewhere(slowed_profile(HARD, 2.0), cpu_model="AMD EPYC 7571")
    snapshot(shown(side_by_side(HARD, slow)))


@pytest.mark.parametrize("profile", [EVERY, HARD])
def test_two_machines_take_a_screen(profile: Profile) -> None:
    """All that is said of two machines are 24 lines of 80 columns, the last of them the answer."""
    slow = elsewhere(slowed_profile(profile, 2.0), cpu_model="AMD EPYC 7571")
    lines = shown(side_by_side(profile, slow)).splitlines()

    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[-1].endswith(".")
    assert "" in lines[-3:]


@table("factor, hasher, said")
def test_the_answer_says_which_target_it_keeps(factor: float, hasher: str, said: str) -> None:
    """The last sentence names a cost and the machines that keep the target, or says why no cost
    is for all.
    """
    slow = elsewhere(slowed_profile(EVERY, factor), cpu_model="AMD EPYC 7571")
    text = shown(side_by_side(EVERY, slow, hashers=(hasher,)))

    assert said == " ".join(text.rpartition("\n\n")[2].split())


def test_a_minimum_that_no_memory_meets_is_said() -> None:
    """Profiles of which no setting in memory meets the minimum have a cost that misses it."""
    floor = Floor(hasher="yescrypt", params={"cost": 11})
    house = replace(OWASP, id="house", floors=(floor,))
    machines = [
        machine_of(_only(HARD, "yescrypt"), name=name, source=f"{name}.json") for name in "ab"
    ]
    found = compare(machines, target_seconds=0.04, policies=(house,))
    text = " ".join(render(comparison_document(found), "table", width=80).split())

    assert "yescrypt: the minimum of house was not timed on all machines" in text
    assert text.endswith("keeps the target of 40.0 ms on each, and does not meet house.")


@pytest.mark.parametrize("width", [64, 80, 120])
def test_many_machines_stay_readable(width: int) -> None:
    """Every kind of machine has its row, and no line of figures breaks."""
    names = tuple(f"web{index:03}" for index in range(40))
    profiles = [
        elsewhere(slowed_profile(EVERY, 1.1**index), virtualization=f"kind {index}")
        for index in range(40)
    ]
    text = shown(
        side_by_side(*profiles, names=names, hashers=("bcrypt@bcrypt",)),  # type: ignore[arg-type]
        width=width,
    )

    assert all(name in text for name in names)
    assert max(map(len, text.splitlines())) <= width
    rows = [line for line in text.splitlines() if line.startswith("bcrypt ") and "s ±" in line]
    assert 40 == len(rows)


def test_of_many_names_a_few_are_told() -> None:
    """A sentence about many machines names some of them, and says how many more there are."""
    assert "a" == named(["a"])
    assert "a, b and c" == named(["a", "b", "c"])
    assert "0, 1, 2, 3, 4 and 95 others" == named([str(index) for index in range(100)])


def test_machines_beyond_the_target_are_named() -> None:
    """Of many alike, one that takes longer than the target for the cost for all is named."""
    found = side_by_side(
        *[EVERY] * 9, slowed_profile(EVERY, 1.4), names="abcdefghij", hashers=("sha512-crypt",)
    )
    said = " ".join(shown(found).split())

    assert "on a, b, c, d, e and 4 others, but takes 55.8 ms on j." in said
    assert "a row stands for machines with the same CPU, library and limits" in said


def test_machines_alike_share_a_row_unless_each_is_asked_for() -> None:
    """Machines of one kind are one row; with --explain each has its own."""
    found = side_by_side(EVERY, EVERY, EVERY, hashers=("sha512-crypt",))
    (alike,) = comparison_document(found).tables
    (each,) = comparison_document(found, explained=True).tables

    assert (1, 3) == (len(alike.rows), len(each.rows))
