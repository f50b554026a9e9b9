"""Examples in the documentation: ``$ calibrate …`` in console blocks, with what they print."""

from __future__ import annotations

import itertools
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .in_process import printed

_BLOCK: Final = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_PROMPT: Final = re.compile(r"^\$ (?:.*\\\n)*.*\n", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A command as it is shown, with the output below it; none is shown of one that measures."""

    prompt: str
    output: str

    @property
    def words(self) -> list[str]:
        """The arguments of ``calibrate``, or none if it is another command."""
        typed = self.prompt.removeprefix("$ ").replace("\\\n", " ")
        words = shlex.split(typed, comments=True)
        return words[1:] if words[0] == "calibrate" else []


def examples_in(text: str) -> list[Example]:
    """Every example of a page, in its order."""
    return [each for block in _BLOCK.findall(text) for each in _examples(block)]


def _examples(block: str) -> list[Example]:
    starts = [*(found.start() for found in _PROMPT.finditer(block)), len(block)]
    parts = [block[start:end] for start, end in itertools.pairwise(starts)]
    prompts = [found[0] for part in parts if (found := _PROMPT.match(part))]
    return [
        Example(prompt.rstrip("\n"), part.removeprefix(prompt))
        for prompt, part in zip(prompts, parts, strict=True)
    ]


def filled(path: Path, docs: Path) -> str:
    """A page with the output of its examples as it is now."""
    return _BLOCK.sub(
        lambda found: "".join(
            f"{each.prompt}\n{_output(each, docs)}" for each in _examples(found[0])
        ),
        path.read_text("utf-8"),
    )


def _output(example: Example, docs: Path) -> str:
    if not example.output.strip():
        return example.output
    gap = "\n" if example.output.endswith("\n\n") else ""
    return printed(example.words, docs / "examples").rstrip() + "\n" + gap
