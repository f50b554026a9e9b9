"""Errors of msgspec, by which JSON of a file or a program is refused."""

from typing import Final

import msgspec

UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""It is not JSON or not of the type, has a text that is not UTF-8, or is nested too deeply."""
