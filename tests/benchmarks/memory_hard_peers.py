"""The tables of what stands beside the tool in `memory_hard`."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from .memory_hard_runs import CFFI_HASHES, Pair, Run, Setting, key
from .report import Table, change, changes, setting

_METHODS = ("calibrate", "one sample")


def one_sample_table(names: Sequence[str], pairs: Sequence[Pair]) -> Table:
    """How far single runs disagree, of the tool and of the simple calibrator."""
    rows = []
    for name in names:
        found: dict[tuple[str, str], list[Setting]] = {}
        for method in _METHODS:
            for pair in pairs:
                for state, run in pair.states():
                    params = _answer(run, method, name)
                    if params is not None:
                        found.setdefault((method, state), []).append(key(params))
        if ("calibrate", "quiet") not in found:
            continue
        unit = statistics.median(map(_work, found["calibrate", "quiet"]))
        for (method, state), settings in found.items():
            counted = Counter(settings)
            usual, times = counted.most_common(1)[0]
            work = [_work(params) / unit for params in settings]
            rows.append(
                (
                    name,
                    method,
                    state,
                    setting(dict(usual)),
                    f"{times} of {len(settings)}",
                    str(len(counted)),
                    f"{statistics.median(work) * 100:.0f} %",
                    f"{min(work) * 100:.0f} … {max(work) * 100:.0f} %",
                )
            )
    return Table(
        title="beside it: a calibrator with one wall-clock sample per rung of the same ladder",
        columns=("hasher", "method", "state", "usual setting", "runs", "seen", "work", "range"),
        rows=rows,
        notes=(
            "seen: different settings; work: memory times passes, as a share of the median",
            "of the quiet runs of `calibrate`",
        ),
    )


def cffi_table(pairs: Sequence[Pair]) -> Table:
    """The mean that argon2-cffi prints, and the time that the tool does."""
    rows = []
    for state in ("quiet", "busy"):
        found = [
            (run.rows["argon2id"], run.cffi_seconds)
            for pair in pairs
            for name, run in pair.states()
            if name == state and run.cffi_seconds is not None
        ]
        if not found:
            continue
        off = [theirs / row.time_seconds - 1 for row, theirs in found]
        walls = [row.wall_seconds for row, _ in found if row.wall_seconds is not None]
        usual = Counter(key(row.params) for row, _ in found).most_common(1)[0][0]
        rows.append(
            (
                state,
                setting(dict(usual)),
                f"{statistics.median(row.time_seconds for row, _ in found) * 1e3:.1f} ms",
                f"{statistics.median(walls) * 1e3:.1f} ms" if walls else "",
                f"{statistics.median(theirs for _, theirs in found) * 1e3:.1f} ms",
                change(statistics.median(off)),
                changes((min(off), max(off))),
            )
        )
    count = sum(pair.quiet.cffi_seconds is not None for pair in pairs)
    return Table(
        title=f"beside it: the mean that `python -m argon2 -n {CFFI_HASHES}` prints for the same"
        f" params; pairs of runs: {count}",
        columns=("state", "setting", "calibrate", "its wall", "theirs", "off", "all runs"),
        rows=rows,
        notes=("off: theirs, which is wall time, against the CPU time that `calibrate` prints",),
    )


def _answer(run: Run, method: str, hasher: str) -> Mapping[str, int] | None:
    if method == "one sample":
        return run.chosen.get(hasher)
    row = run.rows.get(hasher)
    return None if row is None else row.params


def _work(params: Setting) -> float:
    """Memory times passes; the memory doubles with yescrypt's cost."""
    product = 1.0
    for name, value in params:
        product *= 2.0**value if name == "cost" else value
    return product
