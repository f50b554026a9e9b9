"""Text in base64 inside a text: Secrets of Kubernetes, and values of LDIF."""

import binascii
import re
from functools import partial
from typing import Final

from hashcost.stored.formats.reading import HashReader
from hashcost.stored.named import named_in

BASE64: Final = re.compile(rb"[A-Za-z0-9+/]{20,}+={0,2}")
"""Text in base64 that has room for a hash."""
_CONTINUED: Final = re.compile(rb"(?<=[^\r\n])(?:\r?\n [^\r\n]++)++")
"""The lines that go on with one of LDIF (RFC 2849)."""
_LDIF: Final = re.compile(rb"^(?:version: *[0-9]|dn::? )", re.MULTILINE | re.IGNORECASE)
_ENDS: Final = re.compile(rb"\r?\n ?")


def decoded(content: bytes, read: HashReader) -> bytes:
    """Decode base64 with hashes that name their format; its lines become words of one line."""
    return BASE64.sub(partial(_text, read), content)


def spelt_out(content: bytes, read: HashReader) -> bytes:
    """Join the continued lines of LDIF, and decode base64; each line keeps its number."""
    if _LDIF.search(content):
        content = _CONTINUED.sub(_joined, content)
    return decoded(content, read)


def _joined(lines: re.Match[bytes]) -> bytes:
    """Join what the lines hold, before as many ends."""
    return _ENDS.sub(b"", lines[0]) + b"\n" * lines[0].count(b"\n")


def _text(read: HashReader, encoded: re.Match[bytes]) -> bytes:
    """Decode base64 of text with a hash; anything else, such as keys and images, stays."""
    try:
        content = binascii.a2b_base64(encoded[0])
    except binascii.Error:
        return encoded[0]
    if not content.isascii():
        return encoded[0]
    text = b" ".join(content.splitlines())
    if not text.decode("ascii").isprintable() or not any(named_in(text, read)):
        return encoded[0]
    return text
