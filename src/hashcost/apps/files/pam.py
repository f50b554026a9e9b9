"""PAM's service files: the modules of a stack with their options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hashcost.apps.files.lines import joined_lines

_TYPES: Final = frozenset(("account", "auth", "password", "session"))
_WORD = re.compile(r"\[[^\]]*\]?|\S+")
"""As in libpam, a bracket that is not closed takes the rest of the line."""


@dataclass(frozen=True)
class Module:
    """A line of a stack; ``name`` is the module, or the file that an include names."""

    kind: str
    control: str
    name: str
    options: tuple[str, ...]
    line: int


def modules(text: str) -> Iterator[Module]:
    """Every line of every stack, also of ``/etc/pam.conf``; comments end at the line's end."""
    for number, line in joined_lines(text):
        words = _WORD.findall(line.partition("#")[0])
        if words[:1] == ["@include"]:
            yield Module("", "include", " ".join(words[1:2]), (), number)
            continue
        if words and words[0].lstrip("-").lower() not in _TYPES:
            words = words[1:]  # pam.conf has the service in front.
        if len(words) < 3 or words[0].lstrip("-").lower() not in _TYPES:
            continue
        yield Module(
            words[0].lstrip("-").lower(),
            words[1],
            words[2].rpartition("/")[2],
            tuple(map(_bare, words[3:])),
            number,
        )


def _bare(word: str) -> str:
    """An option without the brackets that hold its blanks together."""
    return word[1:].removesuffix("]") if word.startswith("[") else word
