"""Figures of the installed command, each beside a peer, the machine or a limit.

``python -m tests.benchmarks`` runs them all. They print figures and judge them
against limits, but a missed limit is no failure: times depend on the machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

# The tests' helpers are found as pytest finds them.
sys.path.insert(0, str(Path(__file__).parents[1]))
