"""How a valid input is broken: bytes, figures, lines, structure and size. Seeded."""

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

_LONGEST_PUMP: Final = 100_000
"""Bytes that are repeated: what takes time by their square then takes seconds."""
MARKERS: Final = (
    *b'\' " ` ( [ { < @ $ : = # , - \\ a 0 :// /* // {{ ${ <!-- #{ a= x="'.split(),
    *(b'"""', b"<<<A\n", b"\n", b" ", b"\r", b"\\\n", b"\n ", b" =", b"- ", b'"\n'),
)
"""What may let a reader look for an end: each gets a long run of each."""
_WORD: Final = re.compile(rb"\b\w")
_BLANKS: Final = (b"\n", b" ", b"\t", b"\r\n", b" \n", b"\n ")
_NUMBER: Final = re.compile(rb"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_FIGURES: Final = (
    *b"0 -1 1 -0.0 2 31 32 63 64 1024 2000 1e300 1e308 1e400 -1e300 5e-324 1e-12 1e9".split(),
    *b"NaN Infinity 2147483648 4294967296 9223372036854775807 18446744073709551616".split(),
    *(b"9" * 30, b"9" * 5000, "\u0661\u0662".encode(), b"0x10", b"1_000", b"012", b""),
)
_PIECES: Final = (
    *(bytes([byte]) for byte in b" \t\n\r\"'`\\()[]{}<>#;:,.=|&$%*+-_/!?~^@a0\0\x1b"),
    *b'/* */ // ?> ${ {{ }} {% <!-- \'\' "" """ a. &a <<: \xff \xed\xa0\x80'.split(b" "),
    *(b"<?php ", b"\r\n", b"\\\n", b" =", b"= ", b": ", b"- ", b" #", b"[a]\n", b"a=\n", b"x y "),
    *("\u2028é\u202e".encode(), "\ufeff".encode(), b"*a ", b"<<: "),
)
_VALUES: Final[tuple[Any, ...]] = (
    *(0, -1, 1, 2, -2, 63, 64, 1024, 2000, 2**31, 2**62, 2**63, 2**64, 10**30),
    *(0.0, -1.0, 1e-300, 5e-324, 1e-12, 1e9, 1e12, 1e300, 1.7e308),
    *(None, True, False, "", "x", "\x1b[31m", "a" * 2000, [], {}, [[]], {"": None}),
)


def mutated(samples: Sequence[bytes], draw: random.Random) -> bytes:
    """One of the samples, broken in up to four ways."""
    text = draw.choice(samples)
    if text[:1] == b"{" and draw.random() < 0.7:
        text = _restructured(text, draw)
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3, 4))):
        text = draw.choice(_WAYS)(text, samples, draw)
    return text


def pumped(samples: Sequence[bytes], draw: random.Random) -> bytes:
    """One of the samples, with a piece again and again somewhere in it.

    The piece is a blank or a sign, words of the sample from the beginning of one of them, or one
    of its lines; what stood behind the place may be left out, so that nothing ends the run.
    """
    text = draw.choice(samples)
    at = _place(text, draw)
    kind = draw.choice(("blank", "sign", "words", "words", "line"))
    if kind == "blank":
        piece = draw.choice(_BLANKS)
    elif kind == "sign":
        piece = draw.choice(_PIECES)
    elif kind == "words":
        begin = draw.choice([0, *(match.start() for match in _WORD.finditer(text))])
        piece = text[begin : begin + draw.randint(1, 40)]
    else:
        piece = draw.choice(text.splitlines(keepends=True) or [b"\n"])
    piece = piece or b"a"
    size = draw.choice((_LONGEST_PUMP, _LONGEST_PUMP // 4))
    behind = draw.choice((text[at:], text[at:], b""))
    return text[:at] + piece * max(1, size // len(piece)) + behind


def marked(samples: Sequence[bytes], marker: bytes, run: int, draw: random.Random) -> bytes:
    """One of the samples, with a marker over this many bytes somewhere in it."""
    text = draw.choice(samples)
    at = _place(text, draw)
    return text[:at] + marker * (run // len(marker)) + text[at:]


def _place(text: bytes, draw: random.Random) -> int:
    return draw.randint(0, len(text))


def _at_a_span(text: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    """Insert a piece, put one in place of a span, or delete or repeat the span."""
    start = _place(text, draw)
    end = min(len(text), start + draw.choice((0, 1, 1, 2, 4, 16, 64)))
    new = draw.choice((draw.choice(_PIECES), b"", text[start:end] * draw.choice((2, 3, 9))))
    return text[:start] + new + text[end:]


def _cut(text: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    at = _place(text, draw)
    return text[:at] if draw.random() < 0.5 else text[at:]


def _flip(text: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    if not text:
        return text
    at = draw.randrange(len(text))
    return text[:at] + bytes([text[at] ^ 1 << draw.randrange(8)]) + text[at + 1 :]


def _figure(text: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return text
    match = draw.choice(numbers)
    return text[: match.start()] + draw.choice(_FIGURES) + text[match.end() :]


def _splice(text: bytes, samples: Sequence[bytes], draw: random.Random) -> bytes:
    other = draw.choice(samples)
    return text[: _place(text, draw)] + other[_place(other, draw) :]


def _swap_lines(text: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    lines = text.splitlines(keepends=True)
    if len(lines) > 1:
        one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


_Way = Callable[[bytes, Sequence[bytes], random.Random], bytes]
_WAYS: Final[tuple[_Way, ...]] = (
    *(_at_a_span, _at_a_span, _at_a_span, _at_a_span),
    *(_cut, _flip, _figure, _figure, _splice, _swap_lines),
)


def _restructured(text: bytes, draw: random.Random) -> bytes:
    """JSON with some of its values changed, taken away or repeated."""
    try:
        whole = json.loads(text)
    except ValueError:
        return text
    for _ in range(draw.choice((1, 1, 2, 3))):
        places = list(_places(whole))
        if places:
            _change(*draw.choice(places), draw)
        try:
            text = json.dumps(whole).encode()
        except ValueError:  # It has come to hold itself.
            return text
        whole = json.loads(text)
    return text


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Each container with each of its keys."""
    places, pending = [], [value]
    while pending:
        container = pending.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            places.append((container, key))
            if isinstance(container[key], dict | list):
                pending.append(container[key])
    return places


def _change(container: Any, key: Any, draw: random.Random) -> None:
    value = container[key]
    chance = draw.random()
    if chance < 0.1:
        del container[key]
    elif chance < 0.2 and isinstance(value, list) and value:
        container[key] = value * draw.choice((2, 10, 2000 // len(json.dumps(value)) + 1))
    elif chance < 0.3 and isinstance(container, dict):
        container[draw.choice(list(container))] = value
    elif chance < 0.5 and isinstance(value, int | float) and not isinstance(value, bool):
        container[key] = value * draw.choice((-1, 0, 0.5, 2, 1000, 1e-9, 1e9, 1e300))
    else:
        container[key] = draw.choice(_VALUES)
