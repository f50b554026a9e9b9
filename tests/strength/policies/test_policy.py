"""How a cost stands to what others have published."""

import itertools
import math
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from fakes import made_up_policy
from hashcost.core.algorithms import guess_work
from hashcost.core.measurement import Params
from hashcost.core.profile import FloorCheck, Verdict
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import Floor, alternatives, assess, meets_all
from strategies import COSTS, hashers, policies

FLOOR: Final = Floor(hasher="argon2id", params={"memory_kib": 19456, "time_cost": 2})

OWASP: Final = load_policy("owasp")
FIPS: Final = load_policy("fips")


def argon2id(memory_kib: int, time_cost: int, parallelism: int = 1) -> Params:
    """A cost of argon2id."""
    return {"memory_kib": memory_kib, "time_cost": time_cost, "parallelism": parallelism}


def scrypt(n: int, p: int, r: int = 8) -> Params:
    """A cost of scrypt."""
    return {"n": n, "r": r, "p": p}


@table("params, met")
def test_a_floor_is_met_where_no_param_is_below_it(params: Params, met: bool) -> None:
    """More of one param makes up for no less of another, and a param that is missing is less."""
    assert met == FLOOR.met_by(params)


class TestAssess:
    """Met, short, or neither."""

    @pytest.mark.parametrize("floor", OWASP.floors, ids=lambda floor: f"{floor.params}")
    def test_each_listed_setting_meets_the_policy(self, floor: Floor) -> None:
        """Any one row of a list will do, and it is the row that is named."""
        check = assess(OWASP, floor.hasher, floor.params)
        assert check == FloorCheck(
            policy="owasp",
            verdict=Verdict.MET,
            met=True,
            params=floor.params,
            legacy=floor.hasher in ("bcrypt", "pbkdf2-sha1"),
        )

    @table("params, nearest, verdict")
    def test_between_the_rows_work_is_compared(
        self, params: Params, nearest: Params, verdict: str
    ) -> None:
        """A setting that no row is below is compared with the row nearest in memory by the work
        of a guess, and said to be equal work, not a listed setting.
        """
        check = assess(OWASP, "scrypt", params)
        assert (nearest, verdict) == (check.params, check.verdict.value)
        assert check.met is (verdict == "equal-work")

    def test_more_memory_for_as_much_work_is_no_worse(self) -> None:
        """A setting that does the work of a row with more memory than it has meets it, even
        where another row is nearer: n=1024,p=4 do 741,376 at r 181 and 745,472 at r 182, which
        is 655,360 and more, but nearer to the row of 786,432.
        """
        for r in (181, 182):
            check = assess(OWASP, "scrypt", scrypt(1024, 4, r=r))
            assert (Verdict.EQUAL_WORK, scrypt(2**14, 5)) == (check.verdict, check.params)

    def test_a_hasher_that_is_not_approved_meets_nothing(self) -> None:
        """Where a policy allows certain hashers alone, another falls short at any cost."""
        check = assess(FIPS, "bcrypt", {"cost": 31})
        assert FloorCheck(policy="fips", verdict=Verdict.NOT_APPROVED, met=False) == check

    def test_a_digest_that_is_approved_as_another_is(self) -> None:
        """SP 800-132 allows HMAC with any approved hash function, which MD5 is not."""
        verdicts = {}
        for digest, iterations in (("sha384", 1000), ("sha3-256", 999), ("md5", 9999)):
            check = assess(FIPS, f"pbkdf2-{digest}", {"iterations": iterations})
            verdicts[digest] = check.verdict
        expected = {"sha384": Verdict.MET, "sha3-256": Verdict.SHORT, "md5": Verdict.NOT_APPROVED}
        assert expected == verdicts

    def test_a_hasher_that_is_not_named_is_neither(self) -> None:
        """Where a policy says nothing about a hasher, its cost is neither met nor short."""
        check = assess(OWASP, "yescrypt", {"cost": 1})
        assert FloorCheck(policy="owasp", verdict=Verdict.NOT_NAMED, met=None) == check

    def test_a_hasher_that_is_approved_without_a_floor_is_met(self) -> None:
        """Where a policy approves of a hasher and sets no floor, any cost will do."""
        check = assess(made_up_policy(approved=("bcrypt",)), "bcrypt", {"cost": 4})
        assert FloorCheck(policy="made-up", verdict=Verdict.MET, met=True) == check

    def test_what_is_usual_is_no_rule(self) -> None:
        """Below what is usual a cost is compared, and marked as informative."""
        check = assess(load_policy("distro-defaults"), "bcrypt", {"cost": 4})
        assert (Verdict.SHORT, True) == (check.verdict, check.informative)
        assert meets_all([load_policy("distro-defaults")], "bcrypt", {"cost": 12})

    @given(st.data(), COSTS["argon2id"], st.integers(1, 64))
    def test_lanes_never_matter(self, data: st.DataObject, params: Params, lanes: int) -> None:
        """Whatever the policy, another number of lanes changes nothing."""
        policy = data.draw(policies("argon2id"))
        assert assess(policy, "argon2id", params) == assess(
            policy, "argon2id", {**params, "parallelism": lanes}
        )

    @given(st.data(), hashers)
    def test_raising_a_param_never_makes_a_cost_short(
        self, data: st.DataObject, hasher: str
    ) -> None:
        """Whatever the policy, a cost that meets it does so with more of any param too."""
        policy = data.draw(policies(hasher))
        near = [st.just(floor.params) for floor in policy.floors]
        params = data.draw(st.one_of(*near, COSTS[hasher]))
        more = data.draw(COSTS[hasher])
        raised = {name: max(value, more[name]) for name, value in params.items()}
        if assess(policy, hasher, params).met:
            assert assess(policy, hasher, raised).met


GRID: Final = [argon2id(kib, passes) for kib in range(8, 73, 4) for passes in range(1, 8)]
LISTED: Final = (argon2id(16, 6), argon2id(32, 3), argon2id(64, 2))


def work(params: Params) -> float:
    """The work of a guess."""
    return guess_work("argon2id", params) or 0.0


def no_less(params: Params, floor: Params) -> bool:
    """Whether no param is below the floor's."""
    return all(params[name] >= least for name, least in floor.items())


def test_the_verdict_is_that_of_trying_every_row() -> None:
    """Over every cost of a small grid, whatever the order of the rows: met where no param is
    below a row's; or as much memory as a row has, with the work of that or of the nearest row.
    The row that is named is the nearest of those that count; of two, the first.
    """
    for rows, params in itertools.product(itertools.permutations(LISTED), GRID):
        policy = made_up_policy(*(Floor(hasher="argon2id", params=row) for row in rows))
        here = params["memory_kib"]
        near = sorted(rows, key=lambda row: abs(math.log(row["memory_kib"] / here)))
        met = [row for row in near if no_less(params, row)]
        enough = [
            row
            for row in near
            if here >= 16
            and (row is near[0] or row["memory_kib"] <= here)
            and work(params) >= work(row)
        ]
        verdict = Verdict.MET if met else Verdict.EQUAL_WORK if enough else Verdict.SHORT
        check = assess(policy, "argon2id", params)
        assert (params, verdict) == (params, check.verdict)
        assert check.params == (met or enough or near)[0]


class TestAlternatives:
    """The lowest settings that meet several policies at once."""

    def test_one_policy_gives_its_rows(self) -> None:
        """The alternatives are the rows without their lanes, the least work first and of
        equal work the one with the most memory.
        """
        assert alternatives([OWASP], "argon2id") == (
            {"memory_kib": 47104, "time_cost": 1},  # 94,208
            {"memory_kib": 19456, "time_cost": 2},  # 97,280
            {"memory_kib": 12288, "time_cost": 3},  # 98,304
            {"memory_kib": 7168, "time_cost": 5},  # 100,352
            {"memory_kib": 9216, "time_cost": 4},  # 101,376
        )
        assert alternatives([OWASP], "scrypt") == (
            scrypt(2**14, 5),  # 655,360
            scrypt(2**13, 10),  # 655,360
            scrypt(2**15, 3),  # 786,432
            scrypt(2**17, 1),  # 1,048,576
            scrypt(2**16, 2),  # 1,048,576
        )

    def test_the_highest_of_several_counts(self) -> None:
        """Of policies with one floor each, the highest is the floor."""
        stig, anssi = load_policy("disa-stig"), load_policy("anssi-bp28")
        assert ({"rounds": 100_000},) == alternatives([anssi, stig], "sha512-crypt")
        assert ({"iterations": 600_000},) == alternatives([FIPS, OWASP], "pbkdf2-sha256")

    def test_who_does_not_approve_leaves_none(self) -> None:
        """Where one of several policies does not approve a hasher, no setting will do."""
        assert alternatives([OWASP], "bcrypt") == ({"cost": 10},)
        assert alternatives([OWASP, FIPS], "bcrypt") == ()

    @pytest.mark.parametrize("hasher", ["argon2id", "a-plug-in"])
    def test_they_are_those_of_trying_all(self, hasher: str) -> None:
        """Of every cost of a small grid: those without a lower one that is below no row of one
        list each, by their work.
        """
        other = (argon2id(24, 4), argon2id(48, 1))
        lists = [LISTED, other, other[::-1]]
        for several in (lists[:1], lists[:2], lists[::2], lists):
            asked = [
                made_up_policy(*(Floor(hasher=hasher, params=r) for r in rows)) for rows in several
            ]
            usual = made_up_policy(Floor(hasher=hasher, params=argon2id(72, 7)), informative=True)
            silent = made_up_policy(Floor(hasher="bcrypt", params={"cost": 31}))
            good = [p for p in GRID if all(any(no_less(p, r) for r in rows) for rows in several)]
            lowest = [p for p in good if not any(no_less(p, o) for o in good if o != p)]
            found = alternatives([usual, *asked, silent], hasher)
            whole = [{**params, "parallelism": 1} for params in found]
            assert sorted(lowest, key=str) == sorted(whole, key=str)
            if hasher == "argon2id":
                ranks = [(work(params), -params["memory_kib"]) for params in whole]
                assert sorted(ranks) == ranks


def test_a_cost_of_no_memory_falls_short() -> None:
    """A cost that no library takes is compared all the same."""
    found = assess(load_policy("owasp"), "scrypt", {"n": 0, "r": 8, "p": 1})
    assert Verdict.SHORT is found.verdict


def test_work_that_is_not_known_makes_up_for_nothing() -> None:
    """A hasher of another package falls short if a param does."""
    policy = made_up_policy(Floor(hasher="plugin", params={"turns": 5}))
    assert Verdict.SHORT is assess(policy, "plugin", {"turns": 4}).verdict
