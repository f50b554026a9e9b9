"""The version of hashcost, which the build reads too."""

from __future__ import annotations

__version__ = "0.1.0"
