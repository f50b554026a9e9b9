"""Parsers that break, for the child process that reads source code."""

import os
import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from hashcost.source_code import scan
from hashcost.source_code.files import SourceFile
from hashcost.source_code.matching import Matches, project_of
from hashcost.source_code.project import Project
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


def crashing_on_a(
    paths: Sequence[str], gate: Gate
) -> Callable[[SourceFile], Matches | scan.Failed | None]:
    """Crash at the file ``a.py``, and read any other."""
    return partial(_crash_on_a, project_of(paths, gate))


def _crash_on_a(project: Project, source: SourceFile) -> Matches | scan.Failed | None:
    _break(project.gate, "crash" if source.path.name == "a.py" else "")
    return scan._read(project, source)
