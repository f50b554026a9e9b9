"""A reader of the README and of docs/, who pastes what a page shows.

They have an empty folder, the folder of a small project, and `docs/examples`; a page says which
one a block is for.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from corpora import cases
from end_to_end.command import COMMAND, TIMEOUT_SECONDS
from hashcost.cli import COMMANDS
from tools.generated.examples import Block, Example, blocks_in, introduction

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
PAGES: Final = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
}
BLOCKS: Final = {name: list(blocks_in(text)) for name, text in PAGES.items()}
RUN: Final = {
    name: run
    for name, blocks in BLOCKS.items()
    if (run := [block for block in blocks if block.not_run is None])
}
"""The blocks of each page that can be run here."""

_HURRY: Final[dict[str, str]] = cases(__file__, "pasted.toml", "hurry")
_PLACES: Final[dict[str, str]] = cases(__file__, "pasted.toml", "places")
_ANSWERS: Final = "1 3 5"
"""Codes with which `calibrate` ends because of its answer, which may depend on the machine."""
_DEVELOPMENT: Final = {
    "PATH": os.pathsep.join([str(Path(COMMAND).parent), "/usr/bin", "/bin"]),
    "TERM": "xterm",
}


def _preamble() -> str:
    """Return what a shell reads before a block: it notes failures, takes an answer for none, and
    shortens measuring.
    """
    measuring = {name: more for name, more in _HURRY.items() if name != "recommend"}
    shortened = [f'{name}) set -- "$@" {more} ;;' for name, more in measuring.items()]
    others = " | ".join(sorted({*COMMANDS} - _HURRY.keys()))
    # `recommend` needs no name. What is solved or predicted from a profile takes no time.
    return f"""
set -o pipefail
trap 'printf "%d %s\\n" "$?" "$BASH_COMMAND" >>"$FAILURES"' ERR
calibrate() {{
    [[ " $* " = *" --from "* ]] || case $1 in
    {" ".join(shortened)}
    {others}) ;;
    *) set -- "$@" {_HURRY["recommend"]} ;;
    esac
    local code=0
    command calibrate "$@" || code=$?
    [[ " {_ANSWERS} " = *" $code "* ]] || return "$code"
}}
"""


@dataclass(frozen=True)
class Reader:
    """Somebody who pastes the blocks of a page."""

    page: str
    home: Path
    """An empty folder."""
    environment: Mapping[str, str] = field(default_factory=lambda: _DEVELOPMENT)
    process: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `subprocess.run`, such as the user."""

    def settle(self) -> None:
        """Make the folders that pages name."""
        (self.home / "own").mkdir()
        shutil.copytree(DOCS / "examples", self.home / "examples")
        shutil.copytree(DOCS / "examples/app", self.home / "project")

    def paste_all(self) -> list[str]:
        """Run every block of the page that can be run, and return what went wrong."""
        return [wrong for block in RUN[self.page] for wrong in self.paste(block)]

    def paste(self, block: Block) -> Iterator[str]:
        """Run a block, and return what went wrong."""
        place = self._place(block)
        for example in block.examples:
            wrong = self._fault(example, place)
            if wrong:
                yield f"{self.page}, in the folder {place}: {example.prompt}\n{wrong}"

    def run(self, script: str, place: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        """Run a script; return how it ended, and the code and command of each failure."""
        noted = self.home / "failures"
        noted.unlink(missing_ok=True)
        ended = subprocess.run(
            ["bash", "-c", _preamble() + script],
            cwd=self.home / place,
            env={**self.environment, "HOME": str(self.home), "FAILURES": str(noted)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_SECONDS,
            check=False,
            **self.process,
        )
        failures = noted.read_text("utf-8").splitlines() if noted.exists() else []
        return ended, failures

    def _place(self, block: Block) -> str:
        """The folder that a block is for: the one that the paragraph above it names, or the
        introduction of the page, or else an empty one.
        """
        for said in (block.paragraph, introduction(PAGES[self.page])):
            for place, phrase in _PLACES.items():
                if phrase in said:
                    return place
        return "own"

    def _fault(self, example: Example, place: str) -> str:
        ended, failures = self.run(example.command, place)
        shown = example.output.strip()
        if failures:
            return f"{failures}: {ended.stderr}"
        if shown and place != "examples":
            return "output can only be compared in docs/examples"
        if shown and ended.stdout.strip() != shown:
            return "prints something else; run `python -m tests.tools.generated --write`"
        return ""
