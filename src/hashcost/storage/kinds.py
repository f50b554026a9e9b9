"""The kind of a file that is not the one that was expected."""

import contextlib
import re
from pathlib import Path
from typing import Final

from hashcost.storage.files import open_at_once

BEGINNING: Final = 4096
"""Bytes that are enough to tell the kind."""
_SIGNATURES: Final = {
    b"\x89PNG\r\n\x1a\n": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"\x7fELF": "a program",
    b"SQLite format 3\0": "an SQLite database",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}
_HTML: Final = re.compile(
    rb"\s*(?:<!--.{0,400}?-->\s*)?<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL
)
_OWN: Final = re.compile(rb'\s*\{\s*(?:"schema":\s*\d+,\s*"tool"|"kind":\s*"[\w-]+",\s*"schema")')


def beginning_of(path: Path) -> bytes:
    """The bytes that tell what a file is; empty if it cannot be read."""
    with contextlib.suppress(OSError), open_at_once(path) as stream:
        return stream.read(BEGINNING) or b""
    return b""


def strange_kind(beginning: bytes) -> str:
    """Name content that cannot be a configuration or hold stored hashes.

    Such as ``a PNG image``, by its first `BEGINNING` bytes; empty for all other text.
    """
    for signature, kind in _SIGNATURES.items():
        if beginning.startswith(signature):
            return kind
    if not beginning.strip():
        return "empty"
    if _OWN.match(beginning):
        return "a profile or another file of hashcost"
    # A template of PHP may begin as a page does, and set costs further on.
    if _HTML.match(beginning) and b"<?php" not in beginning:
        return "an HTML page"
    if b"\0" in beginning:
        return "binary"
    return ""
