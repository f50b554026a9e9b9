"""Hunt for inputs that a reader neither reads nor refuses: ``python -m tests.tools.fuzz``."""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Final

from .hunt import Failure, Tally, content_of, hunt, shown, tried
from .readers import readers

_USUAL_INPUTS: Final = 8000
"""In all: they take a few minutes."""


def main() -> int:
    """Hunt, or try one input again; end with 1 where anything failed."""
    arguments = _parser().parse_args()
    names = arguments.reader or list(readers())
    if arguments.at is not None:
        return _once(names[0], arguments.seed, arguments.at)
    began = time.monotonic()
    one = partial(hunt, seed=arguments.seed, inputs=-(-arguments.inputs // len(names)))
    tallies = []
    print(f"{'reader':<24}{'inputs':>10}{'read':>10}{'slowest':>10}{'failures':>10}")
    # A reader that ends its process ends the hunt: the last line names the one before it.
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for tally in pool.map(one, names):
            counts = f"{tally.reader:<24}{tally.inputs:>10,}{tally.read:>10,}"
            print(
                f"{counts}{tally.slowest * 1000:>7,.0f} ms{len(tally.failures):>10,}", flush=True
            )
            tallies.append(tally)
    return _said(tallies, time.monotonic() - began)


def _said(tallies: Sequence[Tally], seconds: float) -> int:
    failures = [failure for tally in tallies for failure in tally.failures]
    inputs = sum(tally.inputs for tally in tallies)
    pumped = sum(tally.pumped for tally in tallies)
    print(f"\n{inputs:,} inputs, {pumped:,} of them pumped,", end=" ")
    print(f"in {seconds:,.0f} s over {len(tallies)} readers:", end=" ")
    print(f"{len(failures)} failures" if failures else "no failure")
    kinds: dict[tuple[str, ...], list[Failure]] = {}
    for failure in failures:
        kind = (failure.reader, failure.what[:40], failure.where)
        kinds.setdefault(kind, []).append(failure)
    for alike in kinds.values():
        print(f"\n{len(alike)} × {alike[0]}")
    return 1 if failures else 0


def _once(name: str, seed: int, number: int) -> int:
    """Try one input, with its whole traceback."""
    reader = readers()[name]
    content = content_of(reader, seed, number)
    print(shown(reader, content))
    what, where = tried(reader, content)
    print(what or "read", where)
    if what not in {"", "refused"}:
        reader.read(content)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.fuzz", description=main.__doc__)
    parser.add_argument(
        "--inputs", type=int, default=_USUAL_INPUTS, help="in all, the same number for each reader"
    )
    parser.add_argument("--reader", action="append", choices=list(readers()), metavar="NAME")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes that read")
    parser.add_argument("--at", type=int, help="only this input of a --reader")
    return parser


if __name__ == "__main__":
    sys.exit(main())
