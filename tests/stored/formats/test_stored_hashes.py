"""What real programs store, read with the cost that they were asked for.

Each line of the file names the program with its version, and what it was asked for.
"""

from pathlib import Path

import msgspec

from hashcost.core.measurement import Params
from hashcost.stored.formats.reading import HashReading, Kind
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


def _is_read(stored: _Stored, reading: HashReading) -> bool:
    """Whether what the string leaves out is said to be left out, and all else is right."""
    if stored.kind is not reading.kind or stored.kind is Kind.LOCKED:
        return stored.kind is reading.kind
    if "no-algorithm-stored" in reading.notes:
        algorithm = stored.unstated and reading.hasher is None
    else:
        algorithm = stored.hasher == reading.hasher and stored.blocks in {None, reading.blocks}
    if "no-cost-stored" in reading.notes:
        cost = stored.unstated and reading.params == {}
    else:
        cost = stored.params == reading.params
    return algorithm and cost and stored.client_side == reading.client_side


def test_a_stored_hash_is_read() -> None:
    """Hasher, cost and blocks are those that the program used, where its string has them."""
    readings = [(stored, read(stored.hash, stored.app)) for stored in _stored()]
    assert [] == [found for found in readings if not _is_read(*found)]


def _told_by_themselves() -> list[_Stored]:
    """Those that are read as hashes without their application, and not as ambiguous ones."""
    readings = [(stored, read(stored.hash)) for stored in _stored()]
    return [
        stored
        for stored, reading in readings
        if reading.kind is Kind.HASHED and "ambiguous-prefix" not in reading.notes
    ]


def test_a_hash_without_its_application_has_the_same_cost() -> None:
    """Without its application, a hash is not taken for one of another cost in silence."""
    for stored in _told_by_themselves():
        reading, of_app = read(stored.hash), read(stored.hash, stored.app)
        assert reading == msgspec.structs.replace(of_app, format=reading.format), stored.program
