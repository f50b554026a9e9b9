"""Blocks of the documentation to paste, with the output that a page shows below a command.

``<!-- not run: REASON -->`` above a block says why no test can run it. A ``text`` block below
``<!-- shown from FILE.json -->`` is the result in that file of docs/examples, as the run that
measured it printed it.
"""

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from end_to_end.command import calibrate
from hashcost.logins.model import Capacity
from hashcost.render import render
from hashcost.render.commands.capacity import capacity_document
from hashcost.render.commands.recommend import recommendation_document
from hashcost.storage.profile import load_profile
from hashcost.strength.attackers.device import DEFAULT_DEVICE, load_device
from hashcost.strength.policies.catalogue import load_policy, policy_names

_FENCED: Final = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_PASTED: Final = {"sh", "console"}
_MARK: Final = re.compile(r"<!-- not run\b:?(.*?)-->", re.DOTALL)
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
    def command(self) -> str:
        """What a shell gets."""
        return self.prompt.removeprefix("$ ")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block that a reader pastes."""

    language: str
    text: str
    paragraph: str
    """The last paragraph above it."""
    not_run: str | None
    """Why no test runs it, or `None` if one does. It is empty where a mark gives no reason."""

    @property
    def examples(self) -> list[Example]:
        """Each command of a ``console`` block, or a ``sh`` block as a whole."""
        if self.language == "console":
            return _examples(self.text)
        return [Example(self.text, "")]


def introduction(page: str) -> str:
    """Return the text above the first heading of a section."""
    return page.partition("\n## ")[0]


def blocks_in(page: str) -> Iterator[Block]:
    """Every block of a page that a reader pastes, in order."""
    paragraph = ""
    end = 0
    for fenced in _FENCED.finditer(page):
        above = page[end : fenced.start()]
        end = fenced.end()
        mark = _MARK.search(above)
        prose = _MARK.sub("", above).strip()
        if prose:
            paragraph = prose.split("\n\n")[-1]
        if fenced["language"] in _PASTED:
            yield Block(
                language=fenced["language"],
                text=textwrap.dedent(fenced["text"]),
                paragraph=paragraph,
                not_run=mark and mark[1].strip(),
            )


def other_blocks_in(page: str) -> list[str]:
    """The text of every block that is not there to be pasted."""
    return [
        fenced["text"] for fenced in _FENCED.finditer(page) if fenced["language"] not in _PASTED
    ]


def _examples(block: str) -> list[Example]:
    prompts = list(_PROMPT.finditer(block))
    ends = [*(prompt.start() for prompt in prompts[1:]), len(block)]
    return [
        Example(prompt[0].rstrip("\n"), block[prompt.end() : end])
        for prompt, end in zip(prompts, ends, strict=True)
    ]


def filled(path: Path, docs: Path) -> str:
    """A page with the output of its examples as it is now."""
    return _FENCED.sub(
        lambda fenced: _filled_block(fenced, docs), with_results(path.read_text("utf-8"), docs)
    )


def _filled_block(fenced: re.Match[str], docs: Path) -> str:
    if fenced["language"] != "console" or fenced["indent"]:
        return fenced[0]
    examples = _examples(fenced["text"])
    text = "".join(f"{shown.prompt}\n{_output(shown, docs)}" for shown in examples)
    return f"```console\n{text}```"


def with_results(text: str, docs: Path) -> str:
    """A page with its saved results as they are printed now."""
    return _MEASURED.sub(
        lambda shown: f"{shown[1]}{shown[2]}{printed(docs / 'examples' / shown[1])}", text
    )


def printed(path: Path) -> str:
    """Return what the run that saved a result printed, laid out as today."""
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
    words = shlex.split(example.command.replace("\\\n", " "), comments=True)
    return calibrate(*words[1:], cwd=docs / "examples").out.rstrip() + "\n" + gap
