"""Hashes in a member of the JSON object on each line."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import msgspec

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnreadableInputError
from hashcost.stored.columns import COLUMN_OPTIONS, Stored, is_title
from hashcost.stored.formats.reading import (
    HASH_LIKE,
    NAMED,
    NULL,
    HashReader,
    HashReading,
    Kind,
    hasher_named_in,
)
from hashcost.stored.lines import BROKEN

_WITHOUT_COST: Final = frozenset({Kind.FAST, Kind.UNRECOGNISED, Kind.PLAIN})
"""Kinds of text that may be a key whose cost is in other members."""


def in_members(
    lines: Iterable[bytes], columns: Sequence[str], read: HashReader
) -> Iterator[Stored]:
    """Read the members; null means no password, and any other value than text is unreadable.

    Where other members hold the cost, as in CouchDB's documents of users, the whole object is
    the hash.
    """
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    column, *others = columns
    objects = False
    missing = dict(zip(columns, COLUMN_OPTIONS, strict=False))
    for line in lines:
        if not line.strip():
            continue
        try:
            members = decode(line)
        except UNDECODABLE:
            yield (BROKEN, *[""] * len(others))
            continue
        objects = True
        for holder in _holders(members, column) or [members]:
            # What is not beside the hash may be of the whole object.
            row = {**members, **holder}
            for present in missing.keys() & row.keys():
                del missing[present]
            rest = [str(row.get(other) or "") for other in others]
            whole = msgspec.json.encode(holder)
            if holder is members:
                whole = line.strip()
            yield (_text_of_member(holder, column, whole, read), *rest)
    for option in missing.values():
        if objects:
            raise UnreadableInputError(f"{option}: no object has this member; name another")


def titled_member(text: bytes, read: HashReader) -> str:
    """Find the member of an object, or of one inside it, that has the title of hashes and a hash.

    The name is empty if none has.
    """
    try:
        members = msgspec.json.decode(text, type=dict[str, Any])
    except UNDECODABLE:
        members = {}
    inside = chain.from_iterable(_levels_of(members))
    for one in inside:
        for name, value in one.items():
            is_text = isinstance(value, str) and is_title(name)
            if is_text and read(value).kind in HASH_LIKE:
                return name
    return ""


def hasher_named_by(text: bytes, read: HashReader) -> str:
    """Name the hasher that an object in no known format names; empty if it names none."""
    reading = read(text)
    if NAMED.keys().isdisjoint(reading.notes):
        return ""
    return hasher_named_in(reading.notes)


def holds_named_hash(text: bytes, member: str, read: HashReader) -> bool:
    """Tell whether a member of an object, if it is called anything, is more than a digest."""
    if not member:
        return False
    members = msgspec.json.decode(text, type=dict[str, Any])
    values = (holder[member] for holder in _holders(members, member))
    return any(isinstance(one, str) and read(one).kind is not Kind.FAST for one in values)


def _levels_of(members: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield an object, and then those inside it, level by level."""
    level: list[Any] = [members]
    while level:
        objects = [value for value in level if isinstance(value, dict)]
        yield objects
        lists = [value for value in level if isinstance(value, list)]
        level = [*chain.from_iterable(lists)]
        for one in objects:
            level += one.values()


def _holders(members: Mapping[str, Any], column: str) -> list[dict[str, Any]]:
    """Find the objects that hold a member: the one on the line, or else the nearest inside it."""
    for objects in _levels_of(members):
        holders = [one for one in objects if column in one]
        if holders:
            return holders
    return []


def _text_of_member(
    members: Mapping[str, Any], column: str, whole: bytes, read: HashReader
) -> bytes | str:
    """Take the hash of an object: its member, or the ``whole`` of it if others hold the cost."""
    value = members.get(column)
    # Objects of several forms may stand in one list, as Keycloak's credentials do.
    if column not in members and read(whole).kind is Kind.HASHED:
        return whole
    if value is None:
        value = NULL
    elif not isinstance(value, str):
        value = BROKEN
    text: bytes | str = value.strip()
    if read(text).kind in _WITHOUT_COST:
        others = {name: other for name, other in members.items() if name != column}
        is_part = read(msgspec.json.encode(others)).kind is not Kind.HASHED
        if read(whole).kind is Kind.HASHED and is_part:
            return whole
        # What another member says made it is no digest that only looks like one.
        if is_part and _is_made_by(read(msgspec.json.encode(others)), read(text)):
            return whole
    return text


def _is_made_by(others: HashReading, value: HashReading) -> bool:
    """Tell whether the members beside a digest without a mark name another hasher."""
    names_another = not NAMED.keys().isdisjoint(others.notes)
    return value.kind in {Kind.FAST, Kind.UNRECOGNISED} and names_another
