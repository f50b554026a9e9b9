"""Hashes anywhere in the lines of a file, such as a configuration."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from hashcost.core.errors import UnreadableInputError
from hashcost.stored.columns import is_title
from hashcost.stored.encoded import BASE64, decoded
from hashcost.stored.formats.reading import HASH_LIKE, HASHES, HashReader, Kind
from hashcost.stored.lines import LONGEST
from hashcost.stored.named import named_in

_ELEMENT: Final = re.compile(rb"<(?P<name>[A-Za-z][\w-]{0,60})>\s*+(?P<text>[^<>\s]++)\s*+</")
"""An element of XML with one word in it."""
_ATTRIBUTE: Final = re.compile(
    rb"\s(?P<name>[A-Za-z][\w-]{0,60})=(?P<mark>[\"'])(?P<text>[^<>\s\"']++)(?P=mark)"
)
"""An attribute in a tag of XML."""
_TAG: Final = re.compile(rb"<[A-Za-z]")
_WORD_SET: Final = re.compile(
    rb"\s*+(?:export )?[\"']?(?P<name>[\w.-]{1,80}+)[\"']?\s*+[:=]\s*+(?P<mark>[\"']?)"
    rb"(?P<text>[^\s\"',;]{20,}+)(?P=mark)[,;]?\s*+"
)
"""A setting with one word."""
_HEX: Final = re.compile(rb"[0-9A-Fa-f]{32,128}")
_OF_PASSWORD: Final = re.compile(rb"pass|pwd|^hash$", re.IGNORECASE)
"""A setting that is called the hash of a password, or only a hash; a commit has a hash, too."""
_CALLED_HASH: Final = re.compile(rb"hash", re.IGNORECASE)
_PERHAPS_HASH: Final = HASH_LIKE | {Kind.UNREADABLE}


def hashes_inside(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    """Find the hashes that name their format, anywhere in the lines, or in text in base64.

    A Secret of Kubernetes has its files in base64, which may be folded. In XML, elements and
    attributes have titles, as columns have, and a setting may be called the hash of a password.
    """
    for line in _unfolded(lines):
        hashes = [text for _, text in named_in(line, read)]
        if not hashes:
            hashes = list(_in_setting(line, read))
        if not hashes and _TAG.search(line):
            hashes = list(_in_tags(line, read))
        if not hashes:
            hashes = [text for _, text in named_in(decoded(line, read), read)]
        yield from hashes


def some_hashes_inside(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    """Find the hashes in lines that look like settings or text.

    Raises:
        UnreadableInputError: it finds no hash.
    """
    is_empty = True
    for text in hashes_inside(lines, read):
        is_empty = False
        yield text
    if is_empty:
        raise UnreadableInputError(
            "the lines are settings or text, and no hash among them names a format known here;"
            " write only the hashes, one a line (--layout hash: each line is one)"
        )


def _in_setting(line: bytes, read: HashReader) -> Iterator[bytes]:
    """Find the text that a line sets, if it is called the hash of a password."""
    setting = _WORD_SET.fullmatch(line)
    if setting is None:
        return
    name, text = setting["name"], setting["text"]
    if not _OF_PASSWORD.search(name):
        return
    reading = read(text)
    # If it is not called a hash, it may be a password of random characters.
    is_hash = _CALLED_HASH.search(name) and reading.kind in _PERHAPS_HASH
    is_marked = "unmarked" not in reading.notes or _HEX.fullmatch(text)
    if is_hash or (reading.kind in HASHES and is_marked):
        yield text


def _in_tags(line: bytes, read: HashReader) -> Iterator[bytes]:
    """Find the hashes in the elements and the attributes of a line that have their titles."""
    for match in chain(_ELEMENT.finditer(line), _ATTRIBUTE.finditer(line)):
        # Another name may be a user's.
        if is_title(match["name"]) and read(match["text"]).kind in HASHES:
            yield match["text"]


def _unfolded(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines of only base64, as long as a line has no room for more."""
    folded = b""
    for line in lines:
        text = line.strip(b" \t")
        if BASE64.fullmatch(text) and len(folded) + len(text) <= LONGEST:
            folded += text
            continue
        if folded:
            yield folded
            folded = b""
        yield line
    if folded:
        yield folded
