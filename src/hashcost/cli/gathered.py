"""The costs that a check has gathered, and the files that they were read from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hashcost.checks.judgement import CostOrVerdict
from hashcost.core.text import path_name

if TYPE_CHECKING:
    from hashcost.checks.app_files import AppFiles
    from hashcost.checks.source_costs import SourceCosts


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """The costs to judge, and the files of applications that they were read from."""

    rows: Sequence[CostOrVerdict] = ()
    source: SourceCosts | None = None
    files: Sequence[AppFiles] = ()
    shown: Callable[[str], str] = path_name
    """How the rows write the paths of those files."""
    is_listed: bool = False
    """Whether these are the costs that the settings list."""
