"""Implementations that are timed here in place of an application's library."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Literal

import msgspec

from hashcost.apps.facts import SourcedFigure


class Factor(SourcedFigure, frozen=True, kw_only=True):
    """The time of a library as a multiple of what is timed here, at the same cost.

    In CPU time on the same machine, which was of the vendor ``cpu`` if that is given.
    ``build`` names the build or release of the library where they differ.
    """

    factor: float
    cpu: Literal["amd", "intel", ""] = ""
    build: str = ""
    from_kib: int = 0
    """The least memory that it applies to, up to the next factor's."""
    measured: dt.date | None = None
    """The day on which both were timed."""

    @property
    def case(self) -> tuple[str, int]:
        """The build and the least memory that it is for, on any CPU."""
        return self.build, self.from_kib


class Reference(SourcedFigure, frozen=True, kw_only=True):
    """The implementation that is timed here in place of the application's library.

    It has ``factors`` or a ``source`` unless the application runs this very
    implementation; `on` says which of the factors hold.
    """

    implementation: str
    factor: float = 1.0
    """The highest of ``factors``, if there are any, so that a target is not exceeded."""
    factors: tuple[Factor, ...] = ()
    keeps_memory: bool = False
    """Whether the library's process keeps the memory of a hash for the next, as a JVM does; the
    factors then compare it with hashes that are given no fresh pages either."""
    runs_in: tuple[str, ...] = ()
    """The application's own library as an implementation in its runtime, where it can be timed
    there, such as ``node:bcryptjs``."""

    @property
    def is_its_own(self) -> bool:
        """Whether the application runs this very implementation."""
        return not self.source

    @property
    def least_factor(self) -> float:
        """The lowest possible factor."""
        return min((factor.factor for factor in self.factors), default=self.factor)

    def on(self, cpu_model: str | None) -> Reference:
        """The reference with only the factors of one CPU; with all if the CPU is unknown."""
        vendor = vendor_of(cpu_model)
        timed = {factor.case for factor in self.factors if factor.cpu == vendor}
        # Another vendor's factor stands for what was not timed on this one.
        return self._with(
            factor
            for factor in self.factors
            if factor.cpu in {"", vendor} or factor.case not in timed
        )

    def at(self, memory_kib: float) -> Reference:
        """The reference with only the factors of hashes in this much memory."""
        least = max((step for step in self.steps if step <= memory_kib), default=0)
        return self._with(factor for factor in self.factors if factor.from_kib == least)

    @property
    def steps(self) -> tuple[int, ...]:
        """The amounts of memory, in KiB, from which on other factors hold; the highest first."""
        return tuple(sorted({factor.from_kib for factor in self.factors}, reverse=True))

    def _with(self, some: Iterable[Factor]) -> Reference:
        # What was timed elsewhere stands for what was not.
        factors = tuple(some) or self.factors
        if not factors:
            return self
        sources = []
        for row in factors:
            source = row.source
            if row.build:
                source = f"{row.build}: {source}"
            sources.append(source)
        # Of builds that differ, the slowest: a target is not exceeded.
        highest = max(row.factor for row in factors)
        return msgspec.structs.replace(
            self, factor=highest, source="; ".join(sources), factors=factors
        )


def vendor_of(cpu_model: str | None) -> str | None:
    """The vendor of a CPU, by its model's name; `None` if that does not show it."""
    model = (cpu_model or "").lower()
    for vendor in ("amd", "intel"):
        if vendor in model:
            return vendor
    return None
