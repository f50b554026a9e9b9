"""JSON documents over the lines of a file: how to make lines with hashes of them."""

import contextlib
import json
import re
import shlex
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from hashcost.core.cost_expressions import example_of
from hashcost.core.decoding import UNDECODABLE
from hashcost.stored.columns import is_title
from hashcost.stored.formats.reading import DOUBTS, HASH_LIKE, HASHES, NOTES, HashReader
from hashcost.stored.lines import LONGEST
from hashcost.stored.members import hasher_named_by

# A list of objects in an export; its name is shown, so it is no longer than titles are.
_LIST: Final = re.compile(rb'"(?P<name>[A-Za-z_]\w{0,30})"\s*+:\s*+\[\s*+\{')
_HOLDER: Final = re.compile(rb'"(?P<name>[A-Za-z_]\w{0,30})"\s*+:\s*+\{')
_CREDENTIALS: Final = re.compile(rb"users|credentials|passwords|accounts", re.IGNORECASE)
"""The names of objects that have a member for each user."""
# A member of an object with a text.
_MEMBER: Final = re.compile(rb'"(?P<name>[\w .-]{1,40}+)"\s*+:\s*+"(?P<value>[^"\\]{1,400}+)"')
# An object whose first member is another, and how values of JSON begin that name their kind.
_OBJECT_FIRST: Final = re.compile(rb'\{\s*+"(?:[^"\\]|\\.)*+"\s*+:\s*+\{')
_MARKED_VALUE: Final = (b'"', b"{", b"[")
_DECODER: Final = json.JSONDecoder()


def document_refusal(lines: Sequence[bytes], columns: Sequence[str], read: HashReader) -> str:
    """Say how to make lines of a JSON document, and which option its hashes need."""
    objects = ".[]"
    text = b" ".join(lines)
    named = _list_with_hashes(text, read)
    holder = b""
    if named is None:
        holder = _holder_of_hashes(text, read)
    if text.startswith(b"{") and named is None and not _holds_only_objects(text):
        objects = "."  # What `.[]` takes apart are the values of one object.
    if named is not None and not text.startswith(b"["):
        before = text[: named.start()]
        objects = f".{named['name'].decode()}[]"
        if before.count(b"{") - before.count(b"}") > 1:  # The list is in another object.
            objects = f".. | .{named['name'].decode()}?[]?"
    if holder and not columns:
        only = f"jq -r '.. | .{holder.decode()}? | .[]?'"
        return f"the file is one JSON document; write a hash on each line: {only}"
    refusal = f"the file is one JSON document; write an object on each line: jq -c '{objects}'"
    if columns and len(lines) == 1:
        return f"{refusal}, or name a member of the object with --column"
    if columns:
        return "; ".join((refusal, *_notes_on_apps(text, read)))
    member = _member_to_name(text, read)
    hasher = hasher_named_by(text, read)
    if member:
        refusal += f", and name its hash: --column {shlex.quote(member)}"
    elif hasher and named is None and text.startswith(b"{") and not _is_one_hash(text, read):
        refusal = (
            f"the file is one JSON object that names {hasher} and has no hash; judge the cost that"
            f" it states: `calibrate explain {example_of(hasher)}`"
        )
    return "; ".join((refusal, *_notes_on_apps(text, read)))


def _is_one_hash(text: bytes, read: HashReader) -> bool:
    """Tell whether a document, written without blanks, is a hash in a known format."""
    try:
        return read(msgspec.json.encode(msgspec.json.decode(text))).kind in HASHES
    except UNDECODABLE:
        return False


def _list_with_hashes(text: bytes, read: HashReader) -> re.Match[bytes] | None:
    """Find the list of objects that have hashes, or else the first if nothing else has any."""
    lists = list(_LIST.finditer(text))
    place = _place_of_hash(text, read)
    # Of lists in each other, the hash is in the innermost.
    for named in reversed(lists):
        before = text[named.start() : max(place, named.start())]
        if before.count(b"[") > before.count(b"]"):
            return named
    if not lists or _holder_of_hashes(text, read):
        return None
    return lists[0]


def _place_of_hash(text: bytes, read: HashReader) -> int:
    """Find the first member of a document that has the title of hashes and a hash."""
    for member in _MEMBER.finditer(text):
        is_titled = is_title(member["name"])
        if is_titled and read(member["value"]).kind in HASH_LIKE:
            return member.start()
    return -1


def _holder_of_hashes(text: bytes, read: HashReader) -> bytes:
    """Name the object whose members are all users with their hashes; empty if none is."""
    for holder in _HOLDER.finditer(text):
        inside = text[holder.end() : _end_of(text, holder, b"}")]
        values = [member["value"] for member in _MEMBER.finditer(inside)]
        are_all = inside.count(b":") == len(values) > 0
        is_titled = _CREDENTIALS.fullmatch(holder["name"]) is not None
        if is_titled and are_all and all(read(value).kind in HASH_LIKE for value in values):
            return holder["name"]
    return b""


def _end_of(text: bytes, opened: re.Match[bytes], sign: bytes) -> int:
    """Find the first closing sign behind what opens, or the end of the text."""
    end = text.find(sign, opened.end())
    if end < 0:
        return len(text)
    return end


def _member_to_name(text: bytes, read: HashReader) -> str:
    """Name the first member of a document that has the title of hashes and a hash.

    The name is empty if none has, or if its object is read as a whole.
    """
    for member in _MEMBER.finditer(text):
        name = member["name"].decode(errors="replace")
        if is_title(name) and read(member["value"]).kind in HASH_LIKE:
            if _is_in_a_hash(text, member.start(), read):
                return ""
            return name
    return ""


def _is_in_a_hash(text: bytes, place: int, read: HashReader) -> bool:
    """Tell whether one of the objects around a place is a hash in a known format."""
    earliest = max(0, place - LONGEST)
    start = text.rfind(b"{", earliest, place)
    while start >= 0:
        # What is nested too deeply is not read.
        with contextlib.suppress(ValueError, RecursionError):
            one, end = _DECODER.raw_decode(text[start : start + LONGEST].decode(errors="replace"))
            if start + end > place and read(json.dumps(one)).kind in HASHES:
                return True
        start = text.rfind(b"{", earliest, start)
    return False


def _notes_on_apps(text: bytes, read: HashReader) -> Sequence[str]:
    """List the applications that may have written the first hash of a document in doubt."""
    for member in _MEMBER.finditer(text):
        if is_title(member["name"]):
            doubts = [note for note in read(member["value"]).notes if note in DOUBTS]
            if doubts and not _is_in_a_hash(text, member.start(), read):
                return [NOTES[note] for note in doubts]
    return []


def _holds_only_objects(text: bytes) -> bool:
    """Tell whether each member of an object is another one, such as users by their names.

    Of a text that ends early, the first member tells.
    """
    try:
        members = msgspec.json.decode(text, type=dict[str, Any])
    except UNDECODABLE:
        return _OBJECT_FIRST.match(text) is not None
    return all(isinstance(value, dict) for value in members.values())


def are_values(lines: Sequence[bytes]) -> bool:
    """Tell whether each line is a value of JSON, and one of them more than a number or a word."""
    if not any(line.startswith(_MARKED_VALUE) for line in lines):
        return False
    try:
        for line in lines:
            msgspec.json.decode(line)
    except UNDECODABLE:
        return False
    return True


def is_export(lines: Sequence[bytes], columns: Sequence[str], read: HashReader) -> bool:
    """Whether the only line is an object with a list of others, and no hash itself."""
    if len(lines) != 1 or read(lines[0]).kind in HASHES:
        return False
    try:
        members = msgspec.json.decode(lines[0], type=dict[str, Any])
    except UNDECODABLE:
        return False
    if members.keys() & set(columns):
        return False
    return any(
        isinstance(value, list) and value and isinstance(value[0], dict)
        for value in members.values()
    )
