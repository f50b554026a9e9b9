"""Text that others wrote, and how it is shown: neither a terminal nor a CI job obeys it."""

import os
import re
from typing import Final

_SHORT: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_BYTE: Final = range(0xDC80, 0xDD00)
"""What Python makes of a byte that is not UTF-8."""
_COMMAND_ANYWHERE: Final = re.compile(r"#(?=#\w*\[)")
"""``##[error]`` of GitHub and Azure, ``##vso[`` of Azure, ``##teamcity[``."""
_COMMAND_AT_START: Final = re.compile(r"^([ \t]*):(?=:)", re.MULTILINE)
"""``::error::`` of GitHub."""
_ESCAPE: Final = re.compile(
    rb"\\(?:([\\nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))", re.DOTALL
)
_LONG: Final = {b"\\": b"\\", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def escaped(text: str) -> str:
    r"""Text with an escape for whatever is no visible character, and nothing else changed.

    A byte that is not UTF-8 is ``\xff``, a control character ``\x1b``, another that would not
    be seen ``\u202e``. No line of CI's commands is left in it, except at its start.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else _escape(c) for c in text)
    return _COMMAND_ANYWHERE.sub(r"\\x23", text) if "##" in text else text


def _escape(character: str) -> str:
    code = ord(character)
    if code in _BYTE:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return _SHORT.get(character, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def path_name(path: str | os.PathLike[str]) -> str:
    """A path as text that is like no other path's, whatever bytes its name has."""
    text = os.fspath(path)
    # Where a backslash parts folders it is in no name.
    return escaped(text.replace("\\", r"\\") if os.sep == "/" else text)


def name_bytes(text: str) -> bytes:
    """The bytes of the path that `path_name` shows so."""
    return _ESCAPE.sub(_unescaped, text.encode())


def _unescaped(match: re.Match[bytes]) -> bytes:
    short, byte, *wide = match.groups()
    if short:
        return _LONG[short]
    if byte:
        return bytes.fromhex(byte.decode())
    return chr(int(wide[0] or wide[1], 16)).encode(errors="surrogatepass")


def without_commands(text: str) -> str:
    """Lines of which a CI job that shows them takes none for a command."""
    return _COMMAND_AT_START.sub(r"\1\\x3a", _COMMAND_ANYWHERE.sub(r"\\x23", text))
