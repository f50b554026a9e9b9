"""Costs as people type them, and those that are swept when they type none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from fakes import LADDER, LINEAR, STEPS
from hashcost.core.errors import UsageError
from hashcost.core.measurement import Knob
from hashcost.measure.sweep_costs import (
    MOST_COSTS,
    Range,
    parse_asked,
    parse_costs,
    usual_costs,
    values_of,
)
from strategies import knobs, targets


@table("text, knob, expected")
def test_costs_are_read(text: str, knob: str, expected: list[int]) -> None:
    """Lists, ranges and ranges with a step are read; on a ladder a range has its steps."""
    (turned,) = (own for own in (LADDER, LINEAR, STEPS) if own.name == knob)
    assert tuple(expected) == values_of(parse_costs(text), turned)


@pytest.mark.parametrize(
    "text", ["", "six", "-1", "6..", "9..6", "1..9:0", "1.5", "6...9", "1" * 20, "1," * 1500]
)
def test_what_is_no_list_of_costs_is_refused(text: str) -> None:
    """Anything else is refused in one line that names the option."""
    with pytest.raises(UsageError, match=r"^--costs: [^\n]+$"):
        parse_costs(text)


@pytest.mark.parametrize(
    "text", ["1..1000000:1000", ",".join(f"{n}..{n + 99}" for n in (1, 101, 201))]
)
def test_too_many_costs_are_refused(text: str) -> None:
    """More costs than anyone reads are refused before anything is timed."""
    with pytest.raises(UsageError, match=f"{MOST_COSTS}"):
        values_of(parse_costs(text), LINEAR)


def test_a_hundred_costs_of_62_bits_are_allowed() -> None:
    """More are refused before anything is timed."""
    assert len(values_of(parse_costs("1..100:1"), LINEAR)) == 100
    with pytest.raises(UsageError):
        values_of(parse_costs("1..101:1"), LINEAR)
    assert values_of(parse_costs(f"{2**62}"), LINEAR) == (2**62,)
    with pytest.raises(UsageError, match="is not a list of costs"):
        parse_costs(f"1..{2**62 + 1}")


def test_a_hasher_may_have_costs_of_its_own() -> None:
    """``hasher=costs`` goes before the costs of all."""
    common = parse_costs("5")

    assert ("bcrypt", (Range(first=6, last=9),)) == parse_asked("bcrypt=6..9", common)
    assert ("bcrypt@libcrypt", common) == parse_asked("bcrypt@libcrypt", common)


@given(knob=knobs(), target=targets, unit=st.floats(min_value=1e-9, max_value=1e-2))
def test_usual_costs_are_legal_and_few(knob: Knob, target: float, unit: float) -> None:
    """Without costs a handful of legal ones is taken, each once, the lowest first."""
    found = usual_costs(knob, lambda value: unit * (value + 1), target)

    assert sorted(set(found)) == list(found)
    assert all(knob.minimum <= cost <= knob.maximum for cost in found)
    assert len(found) <= 40


def test_usual_costs_lie_around_the_target() -> None:
    """They run from a hundredth of the target to just above it."""
    assert (2000, 5000, 10000, 20000, 50000, 100000, 200000) == usual_costs(
        LINEAR, lambda value: value * 1e-6, 0.2
    )
    assert 200000 not in usual_costs(LINEAR, lambda value: value * 1e-6, 0.13)
    assert (11, 12, 13, 14, 15, 16, 17) == usual_costs(STEPS, lambda cost: 2**cost * 1e-6, 0.1)
