"""Which program wrote something."""

from __future__ import annotations

from typing import Final

from hashcost import __version__
from hashcost.model import Tool

TOOL: Final = Tool(name="hashcost", version=__version__)
"""This one."""
