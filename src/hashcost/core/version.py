"""The version of hashcost, which the build reads too, and where its documentation is."""

from typing import Final

__version__ = "0.1.0"

DOCUMENTATION: Final = ""
"""The address of the documentation's site, with a slash at its end; empty until it has one."""
