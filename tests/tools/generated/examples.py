"""Examples in the documentation: ``$ calibrate …`` in console blocks, with what they print."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from end_to_end.command import calibrate

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
    return [example for block in _BLOCK.findall(text) for example in _examples(block)]


def _examples(block: str) -> list[Example]:
    prompts = list(_PROMPT.finditer(block))
    ends = [*(prompt.start() for prompt in prompts[1:]), len(block)]
    return [
        Example(prompt[0].rstrip("\n"), block[prompt.end() : end])
        for prompt, end in zip(prompts, ends, strict=True)
    ]


def filled(path: Path, docs: Path) -> str:
    """A page with the output of its examples as it is now."""
    return _BLOCK.sub(
        lambda block: "".join(
            f"{example.prompt}\n{_output(example, docs)}" for example in _examples(block[0])
        ),
        path.read_text("utf-8"),
    )


def _output(example: Example, docs: Path) -> str:
    if not example.output.strip():
        return example.output
    gap = "\n" if example.output.endswith("\n\n") else ""
    return calibrate(*example.words, cwd=docs / "examples").out.rstrip() + "\n" + gap
