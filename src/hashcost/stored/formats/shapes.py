"""The shape of a text that looks like a hash and is in no known format.

A shape is made of words that stand in this file, of punctuation and of lengths. Nothing else
of a text is in it, as the text may be a password.
"""

import re
from collections.abc import Iterator
from operator import ne
from typing import Final

_STEMS: Final = (
    *("argon2id", "argon2i", "argon2d", "argon2", "balloon", "bcrypt", "blake2b", "blake2s"),
    *("blake2", "blake3", "blowfish", "cram", "crypt", "digest", "hash", "hmac", "issha"),
    *("keccak", "kdf", "lanman", "ldap", "md2", "md4", "md5", "ntlm", "pbkdf1", "pbkdf2"),
    *("phpass", "ripemd", "salted", "scram", "scrypt", "sha1", "sha2", "sha3", "sha", "shake"),
    *("smd5", "ssha", "streebog", "tiger", "whirlpool", "with", "yescrypt"),
    *("x", "v1", "v2", "hex", "b64", "base64"),
)
_SIZE: Final = "[-_+/]?(?:128|160|192|224|256|384|512)|[-_+/]1"
_NAME: Final = re.compile(
    rf"(?=.{{1,20}}$)(?:(?:{'|'.join(_STEMS)})(?:{_SIZE})?[-_.+/@]?)+(?<=\w)"
    "|[0-9a-z]|2[abxy]|gy",  # As crypt(5) has them.
    re.IGNORECASE,
)
_LONGEST_ID = 2
"""Characters of such as crypt(5) has, which are no names elsewhere."""

_SHORTEST = 16
"""Characters of what has no prefix."""
_MODULAR: Final = re.compile(
    r"\$(?P<id>[A-Za-z0-9_.,=+-]{1,32})\$(?P<fields>.+)"
    r"|\{(?P<scheme>[A-Za-z0-9_.@+/, -]{1,40})\}(?P<rest>.+)"
)
_MARKED_HEX: Final = re.compile(r"(0x|\\x)((?:[0-9A-Fa-f]{2}){8,})")
_HEX: Final = re.compile("(?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,}")
_CERTAIN_HEX = 32
"""Digits from which on letters or decimal digits need not be among them."""
_BASE64: Final = re.compile("[A-Za-z0-9+/]{16,}={0,2}")
_OTHER_BASE64: Final = re.compile("[A-Za-z0-9./]{16,}|[A-Za-z0-9_-]{16,}={0,2}")
"""Of crypt(5) and of URLs, whose punctuation people put between words as well."""
_CERTAIN_BASE64 = 40
"""Characters from which on no word is as long."""
_LONG_BASE64 = 22
"""Characters from which on two kinds of them are enough: 16 bytes."""
_LEAST_CHANGES, _LEAST_CHANGES_OTHER = 0.35, 0.45
"""Of neighbours, how many are of different kinds; 0.64 are where they are random."""
_SEPARATORS: Final = "$:;,|*#!@&%~-_.="
_MOST_FIELDS = 9


def shape_of(text: str) -> str | None:
    """Describe a text by its shape; `None` if it does not look like a hash."""
    if match := _MODULAR.fullmatch(text):
        if match["id"]:
            return f"${_name(match['id']) or '?'}$ prefix, {_fields(match['fields'], '$')}"
        rest = _encoded(match["rest"]) or _parts(match["rest"]) or "text"
        return f"{{{_name(match['scheme']) or '?'}}} scheme, {rest}"
    if text.startswith('{"'):
        return "JSON object"
    if len(text) < _SHORTEST:
        return None
    if match := _MARKED_HEX.fullmatch(text):
        return f"{match[1]} prefix, hex, {len(match[2])} characters"
    return _encoded(text) or _parts(text)


def _name(written: str) -> str | None:
    """A name that is composed of known words."""
    return written.lower() if _NAME.fullmatch(written) else None


def _fields(text: str, separator: str) -> str:
    fields = text.count(separator) + 1
    if fields > _MOST_FIELDS:
        return f"more than {_MOST_FIELDS} fields"
    return f"{fields} field{'s' if fields > 1 else ''}"


def _encoded(text: str) -> str | None:
    """The encoding of at least eight bytes (hex) or twelve (base64)."""
    if _HEX.fullmatch(text):
        is_hex = len(text) >= _CERTAIN_HEX or not (text.isalpha() or text.isdecimal())
        return f"hex, {len(text)} characters" if is_hex else None
    if _BASE64.fullmatch(text):
        is_base64 = len(text) >= _CERTAIN_BASE64 or _is_varied(text, _LEAST_CHANGES)
    else:
        is_base64 = bool(_OTHER_BASE64.fullmatch(text)) and _is_varied(text, _LEAST_CHANGES_OTHER)
    return f"base64, {len(text)} characters" if is_base64 else None


def _is_varied(text: str, least_changes: float) -> bool:
    """Whether characters of several kinds alternate as they do in base64, not as in words."""
    bare = text.rstrip("=")
    kinds = [
        "a" if c.islower() else "A" if c.isupper() else "0" if c.isdigit() else "." for c in bare
    ]
    if len(bare) < len(text):
        return len(text) % 4 == 0 and len({*kinds}) > 1
    if len(bare) % 4 == 1 and len(bare) < _CERTAIN_BASE64:  # Nothing is encoded in as many.
        return False
    if len({*kinds}) < (2 if len(bare) >= _LONG_BASE64 else 3):
        return False
    changes: int = sum(map(ne, kinds, kinds[1:]))
    return changes >= least_changes * (len(bare) - 1)


def _parts(text: str) -> str | None:
    """The number of fields around the longest that is encoded."""

    def runs() -> Iterator[tuple[str, str, str]]:
        for match in _BASE64.finditer(text):
            encoding = None if match[0] == text else _encoded(match[0])
            if encoding:
                separator = text[match.start() - 1] if match.start() else text[match.end()]
                yield match[0], separator, encoding

    run, separator, encoding = max(runs(), key=lambda run: len(run[0]), default=("", "", ""))
    if not run:
        return None
    shown = separator if separator in _SEPARATORS else "?"
    head = text.partition(separator)[0]
    name = _name(head) if len(head) > _LONGEST_ID else None
    return (
        f'{f"{name}, " if name else ""}{_fields(text, separator)} by "{shown}", one of {encoding}'
    )
