"""Costs as people type them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from fakes import LADDER, LINEAR, PASSES, STEPS
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import Cost, complete, parse_cost, separated
from hashcost.core.errors import UsageError
from hashcost.core.measurement import Knob, Scale

counts = st.integers(1, 2**63 - 1)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,12}", fullmatch=True)


@st.composite
def costs(draw: st.DrawFn) -> Cost:
    """A hasher, built in or not, with a cost of it or without."""
    hasher = draw(st.sampled_from(sorted(COST_NAMES)) | names.map("x-".__add__))
    if hasher in COST_NAMES:
        params = {name: draw(counts) for name in COST_NAMES[hasher]}
        if hasher == "scrypt":
            params["n"] = 1 << draw(st.integers(0, 62))
    else:
        params = draw(st.dictionaries(names, counts, max_size=3))
    return Cost(hasher=hasher, implementation=draw(st.none() | names), params=params or None)


@table("text, cost")
def test_a_cost_is_read_as_configurations_have_it(text: str, cost: dict[str, Any]) -> None:
    """A hasher's cost is read by its full names and the usual short ones; what is usual may be
    left out.
    """
    assert Cost(**cost) == parse_cost(text)


@table("text, meant")
def test_a_number_behind_a_hasher_is_a_cost(text: str, meant: str) -> None:
    """A hasher with one number is told apart from it, whatever is between them or nothing; a
    hasher that takes several is not, nor is anything else.
    """
    assert (meant or None) == separated(text, [*COST_NAMES, "sha3-stretch"])


@table("text, message")
def test_what_is_no_cost_is_refused(text: str, message: str) -> None:
    """What is no cost is refused with what is wrong, and what there is or how to write it."""
    with pytest.raises(UsageError) as refused:
        parse_cost(text)
    assert str(refused.value).startswith(message)
    assert str(refused.value).isprintable()


@given(st.text(max_size=60) | st.text("bcryptsan2id=,@0123456789.", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever is typed is a cost above zero or a usage error."""
    try:
        cost = parse_cost(text)
    except UsageError:
        return
    assert all(0 < value < 2**63 for value in (cost.params or {"none": 1}).values())


@given(costs())
def test_a_cost_is_read_by_its_own_names(cost: Cost) -> None:
    """Every param is read by the name that it has in the hasher's own terms."""
    pairs = ",".join(f"{name}={value}" for name, value in (cost.params or {}).items())
    assert cost == parse_cost(f"{cost.label}={pairs}" if pairs else cost.label)


class TestComplete:
    """A cost beside the hasher that it is of."""

    def test_params_come_in_the_hashers_order(self) -> None:
        """Params are put in the order of the hasher's own."""
        cost = Cost(hasher="fake", params={"passes": 3, "memory": 8})
        params = complete(cost, (LADDER, PASSES), {"memory": 1, "passes": 1})
        assert [("memory", 8), ("passes", 3)] == list(params.items())

    def test_what_is_no_knob_is_as_usual(self) -> None:
        """A param that is not turned may be left out."""
        cost = Cost(hasher="fake", params={"cost": 12})
        assert {"cost": 12, "lanes": 4} == complete(cost, (STEPS,), {"cost": 4, "lanes": 4})

    def test_a_bare_number_is_of_the_one_knob(self) -> None:
        """A number without a name is of the hasher's one knob, whatever that is called."""
        assert {"rounds": 7} == complete(parse_cost("fake=7"), (LINEAR,), {"rounds": 1})

    @table("text, message")
    def test_what_the_hasher_does_not_have_is_refused(self, text: str, message: str) -> None:
        """A param that the hasher lacks, needs or cannot have is named with what it has."""
        with pytest.raises(UsageError) as refused:
            complete(parse_cost(text), (LADDER, PASSES), {"memory": 1, "passes": 1})
        assert message == str(refused.value)

    def test_params_that_do_not_go_together_are_refused(self) -> None:
        """Argon2 has no cost of less than eight blocks for each lane."""
        memory = Knob(name="memory_kib", scale=Scale.LINEAR, minimum=8, maximum=2**32 - 1)
        lowest = {"memory_kib": 8, "time_cost": 1, "parallelism": 1}
        assert complete(parse_cost("argon2id=m=32,t=1,p=4"), (memory,), lowest)
        with pytest.raises(UsageError, match="m must be at least 8 times p"):
            complete(parse_cost("argon2id=m=31,t=1,p=4"), (memory,), lowest)

    @given(st.integers(-(2**70), 2**70))
    def test_only_a_legal_value_passes(self, value: int) -> None:
        """A value passes when it lies in the knob's range, its ends included."""
        cost = Cost(hasher="fake", params={"cost": value})
        if STEPS.minimum <= value <= STEPS.maximum:
            assert {"cost": value} == complete(cost, (STEPS,), {"cost": 4})
        else:
            with pytest.raises(UsageError):
                complete(cost, (STEPS,), {"cost": 4})
