"""How often each cost is timed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hashcost.sweep.effort import FEWEST_ROUNDS, GOAL, Item, admitted, is_settled, relative_error

_ITEMS = st.lists(
    st.builds(
        Item,
        hasher=st.integers(0, 3),
        cost=st.integers(1, 10**6),
        expected_seconds=st.floats(min_value=1e-6, max_value=20.0),
    ),
    max_size=20,
    unique_by=lambda item: (item.hasher, item.cost),
)


@given(items=_ITEMS, seconds=st.floats(min_value=0.01, max_value=60.0))
def test_what_is_admitted_fits(items: list[Item], seconds: float) -> None:
    """What is timed fits the time that there is, six rounds of it or two of a lone cost."""
    kept = admitted(items, seconds)
    lone = [item for item in kept if sum(each.hasher == item.hasher for each in kept) == 1]
    least = sum(item.round_seconds * (2 if item in lone else FEWEST_ROUNDS) for item in kept)

    assert set(kept) <= set(items)
    assert least <= seconds


@given(items=_ITEMS, seconds=st.floats(min_value=0.01, max_value=60.0))
def test_a_cheaper_cost_goes_first(items: list[Item], seconds: float) -> None:
    """A cost is left to prediction only when every cheaper one of its hasher is timed or
    would have taken as long.
    """
    kept = set(admitted(items, seconds))
    for item in kept:
        cheaper = [
            each
            for each in items
            if each.hasher == item.hasher and each.round_seconds < item.round_seconds
        ]
        assert kept.issuperset(cheaper)


def test_short_hashes_are_timed_more_often() -> None:
    """A hash below a millisecond is timed five times in a round, a long one once."""
    assert [5, 3, 1] == [
        Item(hasher=0, cost=1, expected_seconds=seconds).repeats for seconds in (1e-4, 2e-3, 0.1)
    ]


def test_rounds_end_at_the_goal() -> None:
    """Twelve rounds that agree are enough; fewer, or ones that disagree, are not."""
    agreeing = [1.0 + 0.001 * (index % 3) for index in range(12)]

    assert is_settled(agreeing)
    assert not is_settled(agreeing[:11])
    assert not is_settled([1.0 + 0.02 * (index % 6) for index in range(12)])
    assert (relative_error(agreeing) or 1.0) <= GOAL
    assert relative_error(agreeing[:5]) is None
