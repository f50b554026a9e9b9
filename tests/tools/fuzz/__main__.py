"""Hunt for inputs that a reader neither reads nor refuses: ``python -m tests.tools.fuzz``."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from .corpus import corpus, remade
from .hunt import Tally, content_of, hunt, shown, tried
from .readers import readers

_USUAL_SECONDS: Final = 60.0


def main() -> int:
    """Hunt, or try one input again; end with 1 where anything failed."""
    arguments = _parser().parse_args()
    known = readers()
    names = arguments.reader or list(known)
    if arguments.at is not None:
        return _once(names[0], arguments.seed, arguments.at, arguments.keep)
    if arguments.corpus:
        return _corpus()
    began = time.monotonic()
    jobs = arguments.jobs
    share = None if arguments.inputs is None else -(-arguments.inputs // len(names))
    seconds = None if share is not None else arguments.seconds * jobs / len(names)

    def one(name: str) -> Tally:
        (tally,) = hunt((name,), seed=arguments.seed, inputs=share, seconds=seconds)
        print(_row(tally), flush=True)
        return tally

    print(f"{'reader':<24}{'inputs':>10}{'read':>10}{'slowest':>10}{'failures':>10}")
    with ThreadPoolExecutor(jobs) as pool:
        tallies = list(pool.map(one, names))
    return _told(tallies, time.monotonic() - began)


def _told(tallies: Sequence[Tally], seconds: float) -> int:
    failures = [failure for tally in tallies for failure in tally.failures]
    inputs = sum(tally.inputs for tally in tallies)
    print(f"\n{inputs:,} inputs in {seconds:,.0f} s over {len(tallies)} readers:", end=" ")
    print(f"{len(failures)} failures" if failures else "no failure")
    kinds = Counter((each.reader, each.what[:40], each.where) for each in failures)
    seen = set()
    for each in failures:
        kind = (each.reader, each.what[:40], each.where)
        if kind not in seen:
            seen.add(kind)
            print(f"\n{kinds[kind]} × {each}")
    return 1 if failures else 0


def _row(tally: Tally) -> str:
    return (
        f"{tally.reader:<24}{tally.inputs:>10,}{tally.read:>10,}"
        f"{tally.slowest * 1000:>7,.0f} ms{len(tally.failures):>10,}"
    )


def _once(name: str, seed: int, number: int, keep: Path | None) -> int:
    """Try one input, with its whole traceback."""
    reader = readers()[name]
    content = content_of(reader, seed, number)
    print(shown(reader, content))
    if keep is not None and not reader.secret:
        keep.write_bytes(content)
    what, where = tried(reader, content)
    print(what or "read", where)
    if what not in {"", "refused"}:
        reader.read(content)
        return 1
    return 0


def _corpus() -> int:
    """Everything that once failed."""
    failed = 0
    for each in corpus():
        what, where = tried(readers()[each.reader], remade(each.parts))
        if what not in {"", "refused"}:
            failed += 1
            print(f"{each.reader}: {each.why}: {what} {where}")
    print(f"{failed} of the corpus failed" if failed else "none of the corpus fails")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.fuzz", description=main.__doc__)
    much = parser.add_mutually_exclusive_group()
    much.add_argument("--seconds", type=float, default=_USUAL_SECONDS, help="about, in all")
    much.add_argument("--inputs", type=int, help="in all, the same number for each reader")
    much.add_argument("--corpus", action="store_true", help="only what once failed")
    parser.add_argument("--reader", action="append", choices=list(readers()), metavar="NAME")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes that read")
    parser.add_argument("--at", type=int, help="only this input of a --reader")
    parser.add_argument("--keep", type=Path, help="write the input of --at there, if no secret")
    return parser


if __name__ == "__main__":
    sys.exit(main())
