"""What real programs store, read with the cost that they were asked for.

``fixtures/make_stored_hashes.py`` makes the file anew.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hashcost.core.measurement import Params
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read

_FILE = Path(__file__).parent / "fixtures" / "stored_hashes.jsonl"


class _Stored(msgspec.Struct, kw_only=True):
    program: str
    hash: str
    kind: Kind = Kind.HASHED
    hasher: str | None = None
    params: Params = {}
    blocks: int | None = None
    app: str | None = None
    client_side: bool = False
    unstated: bool = False
    """Whether the configuration has what the string does not."""


def _stored() -> list[_Stored]:
    """Every line of the file; none where there is no file, which a test says."""
    lines = _FILE.read_bytes().splitlines() if _FILE.exists() else []
    return [msgspec.json.decode(line, type=_Stored) for line in lines]


def test_there_are_hashes_of_real_programs() -> None:
    """The file is there."""
    assert len(_stored()) > 100


@pytest.mark.parametrize("stored", _stored(), ids=lambda stored: stored.program)
def test_a_stored_hash_is_read(stored: _Stored) -> None:
    """Hasher, cost and blocks are those that the program used, where its string has them."""
    reading = read(stored.hash, stored.app)
    assert stored.kind is reading.kind
    if stored.kind is Kind.LOCKED:
        return
    assert stored.client_side == reading.client_side
    if "no-algorithm-stored" in reading.notes:
        assert stored.unstated
        assert reading.hasher is None
    else:
        assert stored.hasher == reading.hasher
        assert stored.blocks in {None, reading.blocks}
    if "no-cost-stored" in reading.notes:
        assert stored.unstated
        assert {} == reading.params
    else:
        assert stored.params == reading.params


def _told_by_themselves() -> list[_Stored]:
    """Those that are read as hashes without their application, and not as ambiguous ones."""
    readings = [(stored, read(stored.hash)) for stored in _stored()]
    return [
        stored
        for stored, reading in readings
        if reading.kind is Kind.HASHED and "ambiguous-prefix" not in reading.notes
    ]


def test_most_hashes_need_no_application() -> None:
    """More than half of the hashes are told by themselves, so that the next test is not empty."""
    assert len(_told_by_themselves()) > len(_stored()) / 2


@pytest.mark.parametrize("stored", _told_by_themselves(), ids=lambda stored: stored.program)
def test_a_hash_without_its_application_has_the_same_cost(stored: _Stored) -> None:
    """Without its application, a hash is not taken for one of another cost in silence."""
    reading = read(stored.hash)
    assert reading == msgspec.structs.replace(read(stored.hash, stored.app), format=reading.format)
