"""What once failed: ``corpus.jsonl``, an input a line, runs written as a piece and its count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

_FILE: Final = Path(__file__).with_name("corpus.jsonl")


class Kept(msgspec.Struct, frozen=True):
    """An input of a reader, and what came of it once."""

    reader: str
    why: str
    parts: tuple[str | tuple[str, int], ...]


def corpus() -> Iterator[Kept]:
    """Every input that is kept."""
    for line in _FILE.read_bytes().splitlines():
        yield msgspec.json.decode(line, type=Kept)


def remade(parts: tuple[str | tuple[str, int], ...]) -> bytes:
    """The input, whose runs are written out."""
    texts = (part if isinstance(part, str) else part[0] * part[1] for part in parts)
    return "".join(texts).encode(errors="surrogateescape")
