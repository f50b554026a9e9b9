"""A source that breaks its parser ends only itself."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from hashcost.source_code import workers
from hashcost.source_code.matching import Matches, found_in
from hashcost.source_code.tree import scan
from hashcost.source_code.workers import Job, read_all

WEAK = "import bcrypt\nbcrypt.gensalt(4)\n"


def job(number: int, text: str, language: str = "python") -> Job:
    """A job for the grammar that has the language's name."""
    return Job(number=number, text=text, language=language, grammar=language)


def breaking(text: str, language: str, *, grammar: str, **others: Any) -> Matches:
    """Crash, hang or fail as a parser may; read anything else."""
    if text == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    while text == "hang":
        pass
    if text == "fail":
        raise RuntimeError(text)
    return found_in(text, language, grammar=grammar, **others)


def test_every_text_is_answered_once() -> None:
    """As many texts as there are have an answer each, in whatever order."""
    found = dict(read_all(job(number, WEAK) for number in range(50)))
    assert {*range(50)} == {*found}
    assert all(each is not None and len(each.costs) == 1 for each in found.values())


def test_no_text_needs_no_process() -> None:
    """Without anything to read there is no answer."""
    assert [] == list(read_all([]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fake parser needs fork")
def test_what_breaks_the_parser_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash, an endless parse and an error lose one file each, and all others are read."""
    monkeypatch.setattr(workers, "found_in", breaking)
    texts = [WEAK, "crash", WEAK, "hang", "fail", "crash", WEAK]
    found = dict(read_all([job(n, text) for n, text in enumerate(texts)], longest=1.0))
    assert {1, 3, 4, 5} == {number for number, each in found.items() if each is None}
    assert 3 == sum(each is not None for each in found.values())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fake parser needs fork")
def test_a_file_that_is_not_understood_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scan goes on past such a file, and says that there was one."""
    monkeypatch.setattr(workers, "found_in", breaking)
    monkeypatch.setattr("hashcost.source_code.rules.Language.may_hold", lambda *_: True)
    (tmp_path / "a.py").write_text("crash")
    (tmp_path / "b.py").write_text(WEAK)
    found = scan([tmp_path])
    assert ["b.py"] == [each.path.name for each in found.costs]
    assert {"not understood": 1} == found.skipped
