"""Examples in the documentation: ``$ calibrate …`` in console blocks, with what they print.

A block below ``<!-- shown from FILE.json -->`` is the result in that file of docs/examples, as the
run that measured it printed it.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from end_to_end.command import calibrate
from hashcost.documents.profile import load_profile
from hashcost.logins.capacity import Capacity
from hashcost.render import render
from hashcost.render.commands.capacity import capacity_document
from hashcost.render.commands.recommend import recommendation_document
from hashcost.worth.attackers.device import DEFAULT_DEVICE, load_device
from hashcost.worth.policies.catalogue import load_policy, policy_names

_BLOCK: Final = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_MEASURED: Final = re.compile(
    r"(?<=^<!-- shown from )([\w-]+\.json)( -->\n\n```text\n).*?(?=^```$)",
    re.MULTILINE | re.DOTALL,
)
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
        with_results(path.read_text("utf-8"), docs),
    )


def with_results(text: str, docs: Path) -> str:
    """A page with its saved results as they are printed now."""
    return _MEASURED.sub(
        lambda shown: f"{shown[1]}{shown[2]}{_printed(docs / 'examples' / shown[1])}", text
    )


def _printed(path: Path) -> str:
    content = path.read_bytes()
    if b'"levels"' in content:
        document = capacity_document(msgspec.json.decode(content, type=Capacity))
    else:
        document = recommendation_document(
            load_profile(path),
            policies=(load_policy("owasp"),),
            devices=(load_device(DEFAULT_DEVICE),),
            others=tuple(map(load_policy, policy_names())),
            explained=False,
        )
    return render(document, "table", width=80)


def _output(example: Example, docs: Path) -> str:
    if not example.output.strip():
        return example.output
    gap = "\n" if example.output.endswith("\n\n") else ""
    return calibrate(*example.words, cwd=docs / "examples").out.rstrip() + "\n" + gap
