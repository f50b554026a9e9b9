"""Parsers that break, for the child process that reads source code."""

import os
import signal

from hashcost.source_code import scan
from hashcost.source_code.files import SourceFile
from hashcost.source_code.matching import Matches
from hashcost.source_code.project import Project


def breaking(text: str) -> str:
    """Crash, hang or fail as a parser may; read anything else."""
    if text == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    while text == "hang":
        pass
    if text == "fail":
        raise RuntimeError(text)
    return text


def process_number(_text: str) -> int:
    """The number of the process that reads."""
    return os.getpid()


def crashing_on_a(project: Project, source: SourceFile) -> Matches | scan.Failed | None:
    """Crash at the file ``a.py``, and read any other."""
    breaking("crash" if source.path.name == "a.py" else "")
    return scan._read(project, source)
