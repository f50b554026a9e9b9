"""``python -m tests.tools.benchmarks [NAME...] [--runs N] [--quick] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Final

from .fresh import CommandError
from .report import Report, head, machine
from .settings import Settings

_USUAL: Final = (
    *("simulation", "steadiness", "truth", "memory_hard", "speed", "sweep", "commands"),
    *("check", "corpora"),
)
_ONLY_NAMED: Final = ("fleet", "factors", "java", "runtimes", "quota")
"""They take programs of other languages, or root, and some a quarter of an hour."""


def main() -> int:
    """Run the benchmarks that are named, or the usual ones, and print their tables."""
    parser = _parser()
    arguments = parser.parse_args()
    settings = Settings(runs=arguments.runs, quick=arguments.quick, write=arguments.write)
    facts = machine()
    print(head(facts), flush=True)
    reports: dict[str, object] = {}
    for name in arguments.names or _USUAL:
        start = time.monotonic()
        try:
            report: Report = import_module(f".{name}", __package__).run(settings)
        except CommandError as error:
            print(f"\n{name}: {error}", file=sys.stderr)
            return 1
        taken = time.monotonic() - start
        print(f"\n{report.text()}\n  took {taken:.0f} s", flush=True)
        reports[name] = {"seconds": taken, **report.as_json()}
        if arguments.json is not None:
            content = {"machine": facts, "benchmarks": reports}
            arguments.json.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.benchmarks",
        description="Measure the installed `calibrate`. A missed limit is no error.",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        type=_name,
        help=f"one of {', '.join(_USUAL + _ONLY_NAMED)}; by default all but the last"
        f" {len(_ONLY_NAMED)}",
    )
    parser.add_argument("--runs", type=int, metavar="N", help="how often each is repeated")
    parser.add_argument("--quick", action="store_true", help="small sizes, within 4 minutes")
    parser.add_argument(
        "--write",
        action="store_true",
        help="put measured factors into the libraries' files, or into their page",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and runs here")
    return parser


def _name(text: str) -> str:
    if text not in _USUAL + _ONLY_NAMED:
        raise argparse.ArgumentTypeError(f"{text!r} is not a benchmark")
    return text


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
