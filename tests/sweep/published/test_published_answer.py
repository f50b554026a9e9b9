"""What published tables answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.errors import InconclusiveError, UnreachableError
from hashcost.core.machine import Tool
from hashcost.core.measurement import Knob, Scale
from hashcost.core.profile import Rounding
from hashcost.sweep.published.answer import TableAnswer, answer, told_scale
from hashcost.sweep.published.table import Measured

TOOL: Final = Tool(name="hashcost", version="0")

SHA1: Final = (0.064842, 0.129587, 0.195449, 0.259565, 0.325150, 0.389)
SHA256: Final = (0.100307, 0.201145, 0.301541, 0.402714, 0.502949)
SHA512: Final = (0.069507, 0.138372, 0.207207, 0.278450, 0.344481)
BCRYPT: Final = {6: 0.003549, 11: 0.104034, 12: 0.208111, 13: 0.415777}
"""Wall times on an i3-8109U with OpenSSL through Ruby, of PBKDF2 at 100,001, 200,001 …
iterations, as the second article printed them."""

LADDER: Final = Knob(name="n", scale=Scale.LADDER, minimum=2, maximum=2**24, steps=(2, 4))


def iterations(times: Sequence[float]) -> list[Measured]:
    """The rows of one of the article's PBKDF2 columns."""
    return [
        Measured(cost=100_000 * index + 1, seconds=seconds)
        for index, seconds in enumerate(times, 1)
    ]


def solved(rows: list[Measured], target: float, **options: object) -> TableAnswer:
    """The answer for a target in seconds."""
    return answer(rows, tool=TOOL, target_seconds=target, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("times", "at_40_ms", "at_400_ms"),
    [(SHA1, 61_700, 617_000), (SHA256, 39_800, 398_000), (SHA512, 57_900, 579_000)],
    ids=["sha1", "sha256", "sha512"],
)
def test_the_article_on_pbkdf2(times: Sequence[float], at_40_ms: int, at_400_ms: int) -> None:
    """Its table answers 40 ms with a tenth of what the article recommended, which had read
    0.4 s as 40 ms; the interval holds both figures.
    """
    for target, expected in ((0.04, at_40_ms), (0.4, at_400_ms)):
        found = solved(iterations(times), target)

        assert found.scale is Scale.LINEAR
        assert found.cost == pytest.approx(expected, rel=0.005)
        assert found.time_seconds <= target
        assert found.cost_interval is not None
        assert found.cost_interval[0] <= found.cost <= found.cost_interval[1]
        assert found.cost_interval[0] <= expected <= found.cost_interval[1]


@pytest.mark.parametrize(("target", "cost", "following"), [(0.04, 9, 10), (0.4, 12, 13)])
def test_the_article_on_bcrypt(target: float, cost: int, following: int) -> None:
    """It is cost=9 at 40 ms and 12 at 400 ms: the article had read one step too far."""
    rows = [Measured(cost=each, seconds=seconds) for each, seconds in BCRYPT.items()]
    found = solved(rows, target)

    assert found.scale is Scale.LOG2
    assert (found.cost, found.next_cost) == (cost, following)
    assert found.next_seconds is not None
    assert found.time_seconds <= target < found.next_seconds


def test_a_step_that_is_listed_is_not_interpolated() -> None:
    """A step of the table has the time that the table says."""
    rows = [Measured(cost=each, seconds=seconds) for each, seconds in BCRYPT.items()]

    assert BCRYPT[12] == solved(rows, 0.4).time_seconds
    assert BCRYPT[13] == solved(rows, 0.4).next_seconds


def test_two_costs_are_too_thin() -> None:
    """Fewer than three costs are no curve, however often each was measured."""
    rows = [*iterations(SHA1[:2]), *iterations(SHA1[:2])]

    with pytest.raises(InconclusiveError, match=r"only 2 costs; add more, a curve needs 3"):
        solved(rows, 0.4)


def test_another_shape_is_refused() -> None:
    """What do not grow as it is claimed to is refused, with the cost that lies off most
    and the shape that fits.
    """
    doubling = [Measured(cost=cost, seconds=1e-4 * 2.0**cost) for cost in range(6, 14)]

    with pytest.raises(InconclusiveError, match="--scale log2 fits it better"):
        solved(doubling, 0.4, scale=Scale.LINEAR)
    with pytest.raises(
        InconclusiveError, match=r"not of that shape.* cost 400001 lies 32 % above"
    ):
        solved(iterations((0.1, 0.2, 0.3, 0.53, 0.5)), 0.4)
    with pytest.raises(InconclusiveError, match="do not grow"):
        solved(iterations((0.5, 0.1, 1e-9, 1e-12)), 0.4)


def test_noise_of_a_few_per_cent_widens_the_range() -> None:
    """Times that lie six per cent off a line, as a turbo clock leaves them, still answer,
    with a range as wide as that; twice as much is said to be of another shape or noise.
    """
    off = {1000: -0.034, 5000: -0.059, 50_000: 0.060, 200_000: 0.054}

    def rows(times: float) -> list[Measured]:
        return [
            Measured(cost=cost, seconds=cost * 3e-7 * (1 + times * by)) for cost, by in off.items()
        ]

    found, quiet = solved(rows(1), 0.03), solved(rows(0.1), 0.03)

    assert found.cost_interval is not None
    assert quiet.cost_interval is not None
    assert found.cost_interval[0] < 80_000
    assert found.cost_interval[1] > 120_000
    assert found.cost_interval[0] < quiet.cost_interval[0] < 100_000 < quiet.cost_interval[1]
    with pytest.raises(InconclusiveError, match="not of that shape, or too noisy"):
        solved(rows(2.2), 0.03)


def test_the_scale_is_told_from_the_figures() -> None:
    """Large costs count; small ones that double the time are steps."""
    assert told_scale(dict.fromkeys((1, 1000, 2000), 1.0)) is Scale.LINEAR
    assert told_scale({1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4}) is Scale.LINEAR
    assert told_scale(BCRYPT) is Scale.LOG2


def test_a_cost_that_no_time_doubles_up_to_is_refused() -> None:
    """Where costs are said to double the time, one beyond any such cost is of another shape."""
    rows = [Measured(cost=cost, seconds=cost * 1e-4) for cost in (10, 20, 1000)]

    with pytest.raises(InconclusiveError, match="up to 1000; try --scale linear"):
        solved(rows, 0.1, scale=Scale.LOG2)


def test_an_error_of_the_whole_time_leaves_no_interval() -> None:
    """Where the time may lie off by as much as itself, no range of costs is claimed."""
    rows = iterations((0.1, 0.2, 0.36))
    found = solved(rows, 0.25)

    assert found.error_fraction is not None
    assert found.error_fraction >= 1
    assert found.cost_interval is None


def test_memory_is_answered_from_the_list_alone() -> None:
    """Of a hasher in memory the answer is one of the costs listed, and no fit is made."""
    rows = [Measured(cost=2**each, seconds=each**3 * 1e-3) for each in (10, 12, 14)]
    found = solved(rows, 2.0, knob=LADDER, hasher="scrypt")

    assert (4096, 16384, None, None) == (
        found.cost,
        found.next_cost,
        found.model,
        found.cost_interval,
    )
    assert solved(rows, 2.0, knob=LADDER, rounding=Rounding.UP).cost == 16384
    assert solved(rows, 0.5, knob=LADDER, rounding=Rounding.NEAREST).cost == 1024
    with pytest.raises(UnreachableError, match=r"the lowest cost listed, 1024, takes 1\.00 s"):
        solved(rows, 0.5, knob=LADDER)


def test_a_target_below_the_lowest_cost_is_unreachable() -> None:
    """The lowest legal cost that takes longer than the target is no answer."""
    knob = Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31)
    rows = [Measured(cost=each, seconds=seconds) for each, seconds in BCRYPT.items()]

    with pytest.raises(UnreachableError):
        solved(rows, 1e-5, knob=knob)


@given(
    unit=st.floats(min_value=1e-8, max_value=1e-4),
    target=st.floats(min_value=0.01, max_value=10.0),
    costs=st.lists(st.integers(1000, 10**7), min_size=3, max_size=12, unique=True),
)
def test_the_answer_never_takes_longer_than_the_target(
    unit: float, target: float, costs: list[int]
) -> None:
    """Rounded down, the cost is the highest of three digits that is within the target."""
    rows = [Measured(cost=cost, seconds=cost * unit) for cost in costs]
    try:
        found = solved(rows, target)
    except UnreachableError:
        assert unit > target * 0.99
        return

    assert found.time_seconds <= target
    assert found.cost * unit <= target * (1 + 1e-6)
    assert (
        found.cost * unit >= target * 0.98 or found.cost in (2**31 - 1, 1) or target < 200 * unit
    )
