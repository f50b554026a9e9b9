"""Bins of a histogram."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.render.plot.ticks import counts, doubling_edges, even_edges, is_wide

_TIMES = st.floats(min_value=1e-7, max_value=1e4)
_NEAR = st.lists(_TIMES, max_size=4)


@given(first=_TIMES, factors=st.lists(st.floats(1.0, 8.0), min_size=1, max_size=30), near=_NEAR)
def test_even_bins_hold_every_value(first: float, factors: list[float], near: list[float]) -> None:
    """Every value lies between the ends, in bins of one width that are not too many."""
    values = [first * factor for factor in factors]
    edges = even_edges(values, near)
    widths = [high - low for low, high in pairwise(edges)]

    assert edges[0] <= min(values) * (1 + 1e-9)
    assert max(values) <= edges[-1] * (1 + 1e-9)
    assert widths == pytest.approx([widths[0]] * len(widths), rel=1e-6)
    assert 1 <= len(widths) <= 24
    assert len(values) == sum(counts(((value, 1) for value in values), edges))


def test_what_is_near_is_on_the_axis_and_what_is_far_is_not() -> None:
    """A target just beyond the values is reached; one that would squeeze them is not."""
    values = [1.0, 1.02, 1.04, 1.1]

    assert even_edges(values, [1.2])[-1] >= 1.2
    assert even_edges(values, [5.0]) == even_edges(values)


@given(
    first=_TIMES,
    factors=st.lists(st.floats(1.0, 8.0), min_size=1, max_size=30),
    share=st.floats(0.0, 1.0),
    wanted=st.floats(0.8, 1.25),
)
def test_what_is_reached_is_not_on_the_end(
    first: float, factors: list[float], share: float, wanted: float
) -> None:
    """A target that is on the axis has room on either side, so that its line is seen; below it
    no more than time has.
    """
    values = [first * factor for factor in factors]
    target = (min(values) + share * (max(values) - min(values))) * wanted
    edges = even_edges(values, [target])
    if len(edges) <= 20 and edges[0] <= target <= edges[-1]:
        room = (edges[1] - edges[0]) * 0.24
        assert edges[0] == 0.0 or edges[0] + room <= target
        assert target <= edges[-1] - room


def test_an_outlier_does_not_hide_the_rest() -> None:
    """Bins are as wide as the middle half of the values asks for, as far as they may be many."""
    values = [1.0 + index / 1000 for index in range(30)]

    assert len(even_edges([*values, 1.3])) > len(even_edges(values))


@given(values=st.lists(_TIMES, min_size=1, max_size=30), through=_TIMES)
def test_doubling_bins_part_what_lies_below(values: list[float], through: float) -> None:
    """The figure is an edge, so that no bin holds values of both sides; bins are not too many."""
    edges = doubling_edges(values, through)

    assert any(edge == pytest.approx(through, rel=1e-9) for edge in edges)
    assert edges[0] <= min(values) * (1 + 1e-9)
    assert edges[0] < through < edges[-1]
    assert max(values) <= edges[-1]
    assert 1 <= len(edges) - 1 <= 25
    found = counts(((value, 2) for value in values), edges)
    below = sum(many for many, edge in zip(found, edges, strict=False) if edge < through * 0.999)
    assert 2 * sum(value < through * (1 - 1e-9) for value in values) <= below
    assert below <= 2 * sum(value < through * (1 + 1e-9) for value in values)
    assert 2 * len(values) == sum(found)


def test_a_bin_holds_its_lower_edge() -> None:
    """A value on an edge lies above it; on the last one, in the last bin."""
    assert (1, 2) == counts([(1.0, 1), (2.0, 1), (3.0, 1)], (1.0, 2.0, 3.0))


def test_values_far_apart_are_wide() -> None:
    """Beyond a factor of eight a logarithmic axis shows them better."""
    assert not is_wide([1.0, 7.9])
    assert is_wide([1.0, 8.1])
