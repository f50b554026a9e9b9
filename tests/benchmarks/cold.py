"""``calibrate`` without a warm-up, for the benchmark ``java``: what it guards against."""

from __future__ import annotations

from hashcost.cli import main
from hashcost.runtimes.hasher import ElsewhereHasher

if __name__ == "__main__":
    ElsewhereHasher.prepare = lambda *_: None  # type: ignore[method-assign]
    main()
