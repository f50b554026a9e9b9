"""The shape of a text that looks like a hash and is in no known format.

A shape is made of words that stand in this file, of punctuation and of lengths. Nothing else
of a text is in it, as the text may be a password.
"""

import re
import string
from collections.abc import Iterator
from operator import ne
from typing import Final

_STEMS: Final = (
    *("argon2id", "argon2i", "argon2d", "argon2", "balloon", "bcrypt", "blake2b", "blake2s"),
    *("blake2", "blake3", "blowfish", "cram", "crypt", "digest", "hash", "hmac", "issha"),
    *("keccak", "kdf", "lanman", "ldap", "md2", "md4", "md5", "ntlm", "pbkdf1", "pbkdf2"),
    *("phpass", "ripemd", "salted", "scram", "scrypt", "sha1", "sha2", "sha3", "sha", "shake"),
    *("smd5", "ssha", "streebog", "tiger", "whirlpool", "with", "yescrypt"),
)
"""What names of schemes are composed of."""
_SIZES: Final = ("128", "160", "192", "224", "256", "384", "512")
"""Of digests, behind their names."""
_AROUND: Final = ("x", "v1", "v2", "hex", "b64", "base64")
"""What a whole name may begin or end with."""

_WORD: Final = f"(?:{'|'.join(_STEMS)})(?:[-_+/]?(?:{'|'.join(_SIZES)})|[-_+/]1)?"
_NAME: Final = re.compile(
    f"(?:(?:{'|'.join(_AROUND)})[-_.])?{_WORD}(?:[-_.+/@]?{_WORD})*(?:[-_.](?:{'|'.join(_AROUND)}))?"
    "|[0-9a-z]|2[abxy]|gy",  # As crypt(5) has them.
    re.IGNORECASE,
)
_LONGEST_NAME = 20
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

_KINDS: Final = str.maketrans(
    {
        **dict.fromkeys(string.ascii_lowercase, "a"),
        **dict.fromkeys(string.ascii_uppercase, "A"),
        **dict.fromkeys(string.digits, "0"),
        **dict.fromkeys("+/._-", "."),
    }
)
"""What counts as one kind of characters."""

_SEPARATORS: Final = "$:;,|*#!@&%~-_.="
_MOST_FIELDS = 9


def shape_of(text: str) -> str | None:
    """Describe a text by its shape; `None` if it does not look like a hash."""
    if text.startswith(("$", "{")):
        if found := _MODULAR.fullmatch(text):
            return _modular(found)
        if text.startswith('{"'):
            return "JSON object"
    if len(text) < _SHORTEST:
        return None
    if found := _MARKED_HEX.fullmatch(text):
        return f"{found[1]} prefix, {_long('hex', found[2])}"
    return _encoded(text) or _fields(text)


def _modular(found: re.Match[str]) -> str:
    if found["id"]:
        fields = _counted(found["fields"].count("$") + 1)
        return f"${_name(found['id']) or '?'}$ prefix, {fields}"
    rest = _encoded(found["rest"]) or _fields(found["rest"]) or "text"
    return f"{{{_name(found['scheme']) or '?'}}} scheme, {rest}"


def _name(written: str) -> str | None:
    """A name that is composed of known words."""
    is_composed = len(written) <= _LONGEST_NAME and _NAME.fullmatch(written)
    return written.lower() if is_composed else None


def _long(kind: str, text: str) -> str:
    return f"{kind}, {len(text)} characters"


def _counted(fields: int) -> str:
    if fields > _MOST_FIELDS:
        return f"more than {_MOST_FIELDS} fields"
    return f"{fields} field{'s' if fields > 1 else ''}"


def _encoded(text: str) -> str | None:
    """Which encoding of at least eight (hex) or twelve bytes (base64) a text is."""
    if _HEX.fullmatch(text):
        if len(text) >= _CERTAIN_HEX or not (text.isalpha() or text.isdecimal()):
            return _long("hex", text)
    elif _BASE64.fullmatch(text):
        if len(text) >= _CERTAIN_BASE64 or _is_varied(text, _LEAST_CHANGES):
            return _long("base64", text)
    elif _OTHER_BASE64.fullmatch(text) and _is_varied(text, _LEAST_CHANGES_OTHER):
        return _long("base64", text)
    return None


def _is_varied(text: str, least_changes: float) -> bool:
    """Whether characters of several kinds alternate as they do in base64, not as in words."""
    bare = text.rstrip("=")
    kinds = bare.translate(_KINDS)
    if len(bare) < len(text):
        return len(text) % 4 == 0 and len({*kinds}) > 1
    if len(bare) % 4 == 1 and len(bare) < _CERTAIN_BASE64:  # Nothing is encoded in as many.
        return False
    if len({*kinds}) < (2 if len(bare) >= _LONG_BASE64 else 3):
        return False
    changes: int = sum(map(ne, kinds, kinds[1:]))
    return changes >= least_changes * (len(bare) - 1)


def _fields(text: str) -> str | None:
    """How many fields there are around the longest that is encoded."""
    run, separator, encoding = max(_encoded_runs(text), key=_length, default=("", "", ""))
    if not run:
        return None
    fields = _counted(text.count(separator) + 1)
    shown = separator if separator in _SEPARATORS else "?"
    head = text.partition(separator)[0]
    name = _name(head) if len(head) > _LONGEST_ID else None
    prefix = f"{name}, " if name else ""
    return f'{prefix}{fields} by "{shown}", one of {encoding}'


def _encoded_runs(text: str) -> Iterator[tuple[str, str, str]]:
    """Encoded parts of a text, each with what parts it from the others, and its encoding."""
    for match in _BASE64.finditer(text):
        run = match[0]
        encoding = None if run == text else _encoded(run)
        if encoding:
            yield run, text[match.start() - 1] if match.start() else text[match.end()], encoding


def _length(run: tuple[str, str, str]) -> int:
    return len(run[0])
