"""``python -m tests.tools.peers install``, ``measure FILE`` or ``write FILE``."""

import argparse
import re
import sys
from pathlib import Path
from typing import Final

import msgspec

from tools.benchmarks.report import head

from .figures import WORDS, drawing, headline, sentences, table
from .measuring import TARGET, Result, measure
from .peers import install

_ROOT: Final = Path(__file__).parents[3]


def main() -> int:
    """Install the peers, measure beside them, or write the documentation from a measurement."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.peers", description=main.__doc__)
    parser.add_argument("what", choices=("install", "measure", "write"))
    parser.add_argument("file", nargs="?", type=Path, help="where a measurement is kept, as JSON")
    parser.add_argument("--runs", type=int, default=20, help="ours, first runs in each state")
    parser.add_argument("--others", type=int, default=5, help="peers', and ours that are warm")
    parser.add_argument("--minutes", type=float, default=18, help="all together")
    parser.add_argument("--write", action="store_true", help="write when it is measured")
    given = parser.parse_args()
    if given.what == "install":
        install()
        return 0
    if given.file is None:
        parser.error("name a file")
    if given.what == "measure":
        result = measure(runs=given.runs, others=given.others, minutes=given.minutes)
        given.file.write_bytes(msgspec.json.encode(result))
    result = msgspec.json.decode(given.file.read_bytes(), type=Result)
    print(head(result.machine), table(result), *sentences(result), sep="\n")
    if given.write or given.what == "write":
        _write(result)
    return 0


def _write(result: Result) -> None:
    """Put the drawing and the figures where the documentation has room for them."""
    (_ROOT / "docs" / "peers.svg").write_text(drawing(result), "utf-8")
    facts = result.machine
    machine = f"{facts['cores']} CPUs, {head(facts).splitlines()[0]}, load {facts['load']:.1f}"
    measured = f"Measured for {TARGET * 1e3:.0f} ms on {machine} before the start:"
    for name, picture, said, more in (
        ("README.md", "docs/peers.svg", headline(result), ""),
        ("docs/accuracy.md", "peers.svg", sentences(result), f"\n{table(result)}\n"),
    ):
        lines = [f"![{WORDS}]({picture})", "", measured, "", *(f"- {line}" for line in said)]
        page = _ROOT / name
        before, _, after = re.split("(<!-- /?peers -->)", page.read_text("utf-8"))[0::2]
        text = "\n".join(["<!-- peers -->", *lines, f"{more}<!-- /peers -->"])
        page.write_text(before + text + after, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
