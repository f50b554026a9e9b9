"""``calibrate`` without a warm-up, for the benchmark ``java``: what it guards against."""

from __future__ import annotations

from hashcost.cli import main
from hashcost.runtimes.warming import WarmUp

if __name__ == "__main__":
    WarmUp.is_done = WarmUp.is_met = property(lambda self: self.elapsed > 0)  # type: ignore[assignment,method-assign]
    main()
