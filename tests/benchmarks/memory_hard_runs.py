"""What `memory_hard` measures in each state, quiet or busy, and how the states pair up."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from .fresh import Command, CommandError, Row, succeed
from .one_sample import one_sample
from .reference import reference

CFFI_HASHES: Final = 30
"""How many of them ``python -m argon2`` is asked for; its own default is 100."""

Setting: TypeAlias = tuple[tuple[str, int], ...]
"""Params that can be counted."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """All methods in one state, one after another."""

    rows: Mapping[str, Row]
    chosen: Mapping[str, Mapping[str, int]]
    """What the calibrator with one sample per rung chose."""
    cffi_seconds: float | None
    """What ``python -m argon2`` printed for the setting of this run's argon2id."""
    reference_seconds: float

    def as_json(self) -> dict[str, object]:
        """What is kept of a run."""
        return {
            "reference_seconds": self.reference_seconds,
            "calibrate": {name: row.as_json() for name, row in self.rows.items()},
            "one_sample": {name: dict(params) for name, params in self.chosen.items()},
            "python_m_argon2_seconds": self.cffi_seconds,
        }


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A quiet and a busy run, one after the other."""

    quiet: Run
    busy: Run

    def states(self) -> Iterator[tuple[str, Run]]:
        """Both, by their names."""
        yield "quiet", self.quiet
        yield "busy", self.busy


def measure(calibrate: Command, names: Iterable[str], *, with_cffi: bool) -> Run:
    """Run all methods once, in the state that the machine is in."""
    reference_seconds = reference()
    rows = calibrate.calibrate(*names, "--no-history").rows
    argon2id = rows.get("argon2id")
    return Run(
        rows=rows,
        chosen=one_sample(rows.values()),
        cffi_seconds=_by_cffi(argon2id.params) if with_cffi and argon2id else None,
        reference_seconds=reference_seconds,
    )


def rows_of(hasher: str, pairs: Sequence[Pair]) -> list[tuple[Row, Row]]:
    """The pairs in which both runs have a row of this hasher."""
    return [
        (pair.quiet.rows[hasher], pair.busy.rows[hasher])
        for pair in pairs
        if hasher in pair.quiet.rows and hasher in pair.busy.rows
    ]


def key(params: Mapping[str, int]) -> Setting:
    """Params as something that can be counted."""
    return tuple(params.items())


def _by_cffi(params: Mapping[str, int]) -> float:
    """The mean that argon2-cffi's own command prints for these params."""
    options = (
        ("-t", params["time_cost"]),
        ("-m", params["memory_kib"]),
        ("-p", params["parallelism"]),
        ("-n", CFFI_HASHES),
    )
    arguments = (text for name, value in options for text in (name, str(value)))
    printed = succeed([sys.executable, "-m", "argon2", *arguments]).output.decode()
    match = re.search(r"([\d.]+)ms per password verification", printed)
    if match is None:
        raise CommandError("`python -m argon2` printed no mean")
    return float(match[1]) / 1e3
