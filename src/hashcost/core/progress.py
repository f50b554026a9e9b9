"""How far something that takes long has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[float], None]
"""Told which fraction of the work is done; between samples only, never while a hash is timed."""
