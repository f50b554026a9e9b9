"""Runs the command in this process and keeps what it prints."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path
from typing import Final
from unittest import mock

from hashcost.cli import main

_CHANGES_OUTPUT: Final = ("NO_COLOR", "FORCE_COLOR", "HASHCOST_DEBUG", "GITHUB_STEP_SUMMARY")


class _Stream(io.TextIOWrapper):
    """A terminal, or a pipe."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether output is coloured."""
        return self._terminal


def printed(words: list[str], folder: Path, *, columns: int = 80, colored: bool = False) -> str:
    """What ``calibrate`` writes to standard output."""
    out, err = _Stream(terminal=colored), _Stream(terminal=False)
    inherited = {name: value for name, value in os.environ.items() if name not in _CHANGES_OUTPUT}
    shown = {**inherited, "COLUMNS": str(columns), "LINES": "24", "TERM": "xterm-256color"}
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, shown, clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.suppress(SystemExit),
    ):
        main(words)
    out.seek(0)
    return out.read()
