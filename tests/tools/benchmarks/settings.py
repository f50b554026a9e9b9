"""What the command line says of all benchmarks."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

TARGET_SECONDS: Final = 0.040

FIVE: Final = ("sha512-crypt", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512", "bcrypt")
"""Bound by the CPU alone, one parameter each."""

STEP_HASHERS: Final = frozenset({"bcrypt"})
"""Of the five, those whose cost doubles the work with each step; the others count iterations."""

MEMORY_HARD: Final = ("scrypt", "argon2id", "yescrypt")
"""Memory in steps; then passes fill the time that is left, but for yescrypt."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How large the benchmarks are; none means a benchmark's own size."""

    runs: int | None = None
    quick: bool = False
    write: bool = False
    """Whether measured factors go into the libraries' files."""

    def size(self, normal: int, quick: int) -> int:
        """How often to repeat: as asked for, else one of these."""
        return self.runs or (quick if self.quick else normal)


def counter(name: str, total: int) -> Callable[[int], None]:
    """A function that shows how many of the runs are done, on a terminal only."""

    def show(done: int) -> None:
        if sys.stderr.isatty():
            end = "\r" if done < total else "\n"
            print(f"{name}: {done} of {total}", end=end, file=sys.stderr, flush=True)

    return show
