"""``python -m tests.tools.benchmarks [NAME...] [--runs N] [--quick] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from . import (
    ansible,
    busy,
    check,
    commands,
    corpora,
    factors,
    fleet,
    fleets,
    java,
    memory_hard,
    promised,
    runtimes,
    simulation,
    speed,
    steadiness,
    sweep,
    truth,
)
from .fresh import CommandError
from .report import Report, head, machine
from .settings import Settings

_BENCHMARKS: Final[dict[str, Callable[[Settings], Report]]] = {
    "simulation": simulation.run,
    "busy": busy.run,
    "steadiness": steadiness.run,
    "truth": truth.run,
    "memory_hard": memory_hard.run,
    "speed": speed.run,
    "sweep": sweep.run,
    "check": check.run,
    "commands": commands.run,
    "corpora": corpora.run,
    "fleets": fleets.run,
    "ansible": ansible.run,
    "fleet": fleet.run,
    "factors": factors.run,
    "promised": promised.run,
    "java": java.run,
    "runtimes": runtimes.run,
}

_ONLY_NAMED: Final = frozenset({"ansible", "factors", "java", "promised", "runtimes"})
"""They take programs of other languages, and some a quarter of an hour."""


def main() -> int:
    """Run the benchmarks that are named, or all, and print what they find."""
    parser = _parser()
    arguments = parser.parse_args()
    settings = Settings(runs=arguments.runs, quick=arguments.quick, write=arguments.write)
    facts = machine()
    print(head(facts), flush=True)
    reports: dict[str, object] = {}

    def keep() -> None:
        if arguments.json is not None:
            content = {"machine": facts, "benchmarks": reports}
            arguments.json.write_text(json.dumps(content, indent=1) + "\n", "utf-8")

    try:
        keep()  # A file that cannot be written is found before minutes of measuring.
    except OSError as error:
        parser.error(f"--json {arguments.json}: {error.strerror}")
    for name in arguments.names or (each for each in _BENCHMARKS if each not in _ONLY_NAMED):
        start = time.monotonic()
        try:
            report = _BENCHMARKS[name](settings)
        except CommandError as error:
            print(f"\n{name}: {error}", file=sys.stderr)
            return 1
        taken = time.monotonic() - start
        print(f"\n{report.text()}\n  took {taken:.0f} s", flush=True)
        reports[name] = {"seconds": taken, **report.as_json()}
        keep()
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
        help=f"one of {', '.join(_BENCHMARKS)}; by default all but"
        f" {', '.join(sorted(_ONLY_NAMED))}",
    )
    parser.add_argument("--runs", type=_positive, metavar="N", help="how often each is repeated")
    parser.add_argument("--quick", action="store_true", help="small sizes, within 4 minutes")
    parser.add_argument(
        "--write",
        action="store_true",
        help="put measured factors into the libraries' files, or into their page",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and runs here")
    return parser


def _name(text: str) -> str:
    if text not in _BENCHMARKS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(_BENCHMARKS)}")
    return text


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
