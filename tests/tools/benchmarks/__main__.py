"""``python -m tests.tools.benchmarks [NAME...] [--runs N] [--quick] [--write]``."""

import argparse
import sys
import time
from importlib import import_module
from typing import Final

from .fresh import CommandError
from .report import Report, head, machine
from .settings import Settings

_USUAL: Final = ("simulation", "live", "truth", "commands", "corpora")
_ONLY_NAMED: Final = ("factors", "quota")
"""They take programs of other languages, or root."""


def main() -> int:
    """Run the benchmarks that are named, or the usual ones, and print their tables."""
    parser = _parser()
    arguments = parser.parse_args()
    settings = Settings(runs=arguments.runs, quick=arguments.quick, write=arguments.write)
    print(head(machine()), flush=True)
    for name in arguments.names or _USUAL:
        start = time.monotonic()
        try:
            report: Report = import_module(f".{name}", __package__).run(settings)
        except CommandError as error:
            print(f"\n{name}: {error}", file=sys.stderr)
            return 1
        print(f"\n{report.text()}\n  took {time.monotonic() - start:.0f} s", flush=True)
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
        "--write", action="store_true", help="put measured factors into the libraries' files"
    )
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
