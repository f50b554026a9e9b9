"""Costs of stored hashes as people type them."""

import pytest

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.units import format_setting
from hashcost.stored.formats.reading import HashReading
from hashcost.stored.formats.typed import is_stored_only, typed_reading
from stored.formats.samples import SAMPLES

STATED = [
    sample.reading
    for sample in SAMPLES
    if sample.reading.hasher is not None
    and sample.reading.hasher not in COST_NAMES
    and 0 not in sample.reading.params.values()
]
"""Of algorithms that nothing here computes; nobody types the 0 rounds of sun-md5-crypt."""


@pytest.mark.parametrize("reading", STATED, ids=lambda reading: reading.format)
def test_a_cost_that_a_hash_states_can_be_typed(reading: HashReading) -> None:
    """The cost of every format is read as it is written elsewhere, whatever its hasher."""
    hasher = str(reading.hasher)
    typed = typed_reading(f"{hasher}={format_setting(reading.params)}".rstrip("="))

    assert is_stored_only(hasher)
    assert (reading.kind, hasher, reading.params) == (typed.kind, typed.hasher, typed.params)


def test_what_may_be_left_out_is_as_with_argon2id() -> None:
    """One lane is usual."""
    assert 1 == typed_reading("argon2d m=65536,t=3").params["parallelism"]
