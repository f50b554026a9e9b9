"""Parsers that break, for the child process that reads source code."""

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hashcost.source_code import scan
from hashcost.source_code.files import SourceFile
from hashcost.storage.gate import Gate


def breaking(gate: Gate) -> Callable[[str], str]:
    """Crash, hang or fail as a parser may; read anything else."""
    return partial(_break, gate)


def _break(gate: Gate, text: str) -> str:
    if text == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    while text == "hang":
        pass
    if text == "fail":
        raise RuntimeError(text)
    if text.startswith("beside"):
        with gate.reading("it"), gate.reading(Path("yarn.lock")):
            while text == "beside":
                pass
    return text


def hanging(_read: object, gate: Gate) -> Callable[[str], str]:
    """Hang on any text."""
    return lambda _: _break(gate, "hang")


def process_number(_gate: Gate) -> Callable[[str], int]:
    """The number of the process that reads."""
    return lambda _: os.getpid()


def crashing_on_a(gate: Gate) -> Callable[[SourceFile], object]:
    """Crash at the file ``a.py``, and read any other."""
    return partial(_crash_on_a, gate)


def _crash_on_a(gate: Gate, source: SourceFile) -> object:
    _break(gate, "crash" if source.path.name == "a.py" else "")
    return scan._read_single(gate, source)
