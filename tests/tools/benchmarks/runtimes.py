"""Runtimes: how long the same work takes in each, as a multiple of this Python's first library.

``--write`` renews docs/runtime-factors.md, for the machine that it runs on.
"""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from end_to_end.runtimes.projects import AbsentError, project

from .fresh import CommandError, command
from .report import Report, Table, machine, percent
from .settings import Settings

PAGE: Final = Path(__file__).parents[3] / "docs" / "runtime-factors.md"
_RUNS: Final = (
    ("bcrypt", "pbkdf2-sha256", "pbkdf2-sha512", "sha512-crypt", "--target", "40ms"),
    ("scrypt", "argon2id", "--target", "100ms", "--memory", "16MiB"),
)
"""With so little memory all libraries take the same, and differ in passes."""
_RUNTIMES: Final = ("node", "php", "ruby", "perl", "java", "go")
_COLUMNS: Final = ("library", "what", "times as long", "±")
_INTRODUCTION: Final = """\
# Runtime factors

How long the same work takes in another library, as a multiple of the first of this Python's. All
libraries of a hasher hash in turns, round after round, so that a neighbour slows all of them down.
± holds 19 times of 20. One hash takes 40 ms, and of scrypt and argon2id 100 ms with 16 MiB.

Factors move with every release and differ between CPUs, so these are an example, for one machine
and one day. [`--in`](runtimes.md#timed-where-it-runs) has those of your own:

```sh
calibrate bcrypt --all --in node,php,ruby,java,go --project DIR
```

`python -m tests.tools.benchmarks runtimes --write` measures this page anew.
"""


def run(settings: Settings) -> Report:
    """Measure all, those that need memory apart from the rest."""
    with tempfile.TemporaryDirectory(prefix="hashcost-benchmark-") as folder:
        _gather(Path(folder))
        profiles = [_measured(asked, folder, fast=settings.quick) for asked in _RUNS]
    results = [result for profile in profiles for result in profile["results"]]
    measured = [result for result in results if result["status"] == "measured"]
    hashers = dict.fromkeys(result["hasher"] for result in measured)
    tables = [Table(hasher, _COLUMNS, list(_of(hasher, measured))) for hasher in hashers]
    if settings.write:
        PAGE.write_text(_page(profiles[0], tables), "utf-8")
    return Report(tables=tables, runs=[{"results": measured}])


def _gather(folder: Path) -> None:
    """One application with the libraries of every runtime."""
    for runtime, names in {
        "node": ("node_modules",),
        "java": ("target",),
        "go": ("go.mod", "go.sum", "main.go"),
    }.items():
        try:
            there = project(runtime)
        except AbsentError as error:
            raise CommandError(str(error)) from error
        for name in names:
            if (there / name).is_dir():
                (folder / name).symlink_to(there / name)
            else:
                shutil.copy(there / name, folder)


def _measured(asked: Sequence[str], folder: str, *, fast: bool) -> Any:
    options = (
        *("--all", "--in", ",".join(_RUNTIMES), "--project", folder),
        *("--format", "json", "--quiet", *(("--effort", "fast") if fast else ())),
    )
    with command() as calibrate:
        return json.loads(calibrate.answer(*asked, *options).output)


def _of(hasher: str, measured: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """A row for each library: its factor to the first, by their work in the same time."""
    first, *others = (result for result in measured if result["hasher"] == hasher)
    yield (first["implementation"], first["implementation_version"], "1.00", "")
    for row in others:
        timed = first["interval_seconds"] and row["interval_seconds"]
        error = math.hypot(_half_width(first), _half_width(row)) if timed else None
        yield (
            row["implementation"],
            row["implementation_version"],
            f"{_speed(first) / _speed(row):.2f}",
            "?" if error is None else percent(error),
        )


def _speed(row: Mapping[str, Any]) -> float:
    """Work in a second, as the command compares it."""
    params = row["params"]
    if "memory_kib" in params or "n" in params:
        passes = params.get("time_cost", params.get("p", 1))
        return float(row["memory_bytes"] * passes / row["time_seconds"])
    return float(1 / row["model"]["seconds_per_unit"])


def _half_width(row: Mapping[str, Any]) -> float:
    low, high = row["interval_seconds"]
    return float((high - low) / 2 / row["time_seconds"])


def _page(profile: Mapping[str, Any], tables: Sequence[Table]) -> str:
    """The page: where, when and by what, and a table for each hasher."""
    facts, host = machine(), profile["machine"]
    where = ", ".join([str(facts["cpu"]), host["os"], host["python"], host["openssl"]])
    when = f"Measured on {str(facts['date'])[:10]} by hashcost {profile['tool']['version']}"
    parts = [_INTRODUCTION, f"{when} on {where}.\n"]
    for table in tables:
        lines = (" | ".join(row) for row in table.rows)
        parts += [f"## {table.title}\n", "| library | version | times as long | ± |"]
        parts += ["|---|---|--:|--:|", *(f"| {line} |" for line in lines), ""]
    return "\n".join(parts)
