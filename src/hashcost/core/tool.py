"""Which program wrote something."""

from typing import Final

from hashcost.core.machine import Tool
from hashcost.core.version import __version__

TOOL: Final = Tool(name="hashcost", version=__version__)
"""This one."""
