"""A source that breaks its parser ends only itself."""

import os
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from end_to_end.hostile import put_modules
from hashcost.core.errors import Unread, UnreadError
from hashcost.source_code import scan as scanning
from hashcost.source_code.matching import Matches
from hashcost.source_code.scan import Failed, in_child, read_one, scan
from hashcost.storage import gate as gates
from hashcost.storage.gate import Gate
from made_up.parsers import breaking, crashing_on_a, hanging, process_number

WEAK = "import bcrypt\nbcrypt.gensalt(4)\n"


def _end_children() -> None:
    """The times of a process are known once it has ended."""
    while scanning._idle:
        scanning._idle.pop().end()


def test_a_long_text_is_read_in_a_child() -> None:
    """One text is read as the same text in a scan is, whether it is short or long."""
    short = read_one(WEAK, "python")
    assert isinstance(short, Matches)
    assert short == read_one(WEAK + "# more\n" * 1000, "python")


def test_one_text_takes_its_time_from_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a child spends on an application's code is taken from the time of the command."""
    monkeypatch.setattr(scanning, "_without_files", hanging)
    monkeypatch.setattr(scanning, "CPU_SECONDS", 0.3)
    monkeypatch.setattr(gates, "READING_SECONDS", 1.0)
    gate = Gate()
    text = WEAK + "# more\n" * 1000

    def read_five() -> None:
        with gate.timed("app"):
            for number in range(5):
                assert isinstance(read_one(text, "javascript"), Failed)
                read.append(number)

    read: list[int] = []
    with pytest.raises(UnreadError, match="app used up the 1 s of CPU time"):
        read_five()
    assert len(read) <= 3


def test_what_breaks_the_parser_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash, an endless parse and an error lose one text each, and all others are read."""
    texts = ["a", "crash", "b", "hang", "fail", "crash", "c"]
    monkeypatch.setattr(scanning, "CPU_SECONDS", 0.2)
    answers = list(in_child(breaking, texts))
    assert [
        "a",
        "its parser crashed",
        "b",
        "reading it takes more than 0.2 s of CPU time",
        "its parser failed: RuntimeError",
        "its parser crashed",
        "c",
    ] == [each.why if isinstance(each, Failed) else each for each in answers]


def test_a_child_is_a_program_of_its_own() -> None:
    """A process with threads is not forked, and one child reads texts one after the other."""
    with warnings.catch_warnings(action="error"), ThreadPoolExecutor(1) as pool:
        pool.submit(time.sleep, 0.01)
        _end_children()
        first, second = (next(in_child(process_number, [each])) for each in "ab")
    assert first == second != os.getpid()


def test_a_child_does_not_import_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python itself does where a program is given by `-c`, or typed."""
    folder, marks = tmp_path / "folder", tmp_path / "marks"
    for each in (folder, marks):
        each.mkdir()
    put_modules(folder, marks)
    _end_children()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    [number] = in_child(process_number, ["text"])
    assert isinstance(number, int)
    assert [] == list(marks.iterdir())


def test_answers_that_nobody_waits_for_reach_no_other_caller() -> None:
    """A caller that gives up in the middle, or reads in turns with another, mixes no answers."""
    one, other = in_child(breaking, ["a", "b", "c"]), in_child(breaking, ["d", "e"])
    assert ["a", "d", "b", "e"] == [next(each) for each in (one, other, one, other)]
    del one, other
    assert ["f"] == list(in_child(breaking, ["f"]))


def test_texts_that_never_end_do_not_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time for all is used up the others are given up, and each says so."""
    tasks = ["hang"] * 2 + ["a"] * 3
    monkeypatch.setattr(scanning, "CPU_SECONDS", 0.05)
    monkeypatch.setattr(scanning, "ALL_CPU_SECONDS", 0.1)
    answers = list(in_child(breaking, tasks))
    assert [Unread.TOO_SLOW] * 2 + [Unread.OUT_OF_TIME] * 3 == [
        answer.reason for answer in answers if isinstance(answer, Failed)
    ]


def test_the_file_that_takes_the_time_is_named_and_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lock file that never ends is named by all that need it, and costs its time once."""
    monkeypatch.setattr(scanning, "CPU_SECONDS", 0.1)
    monkeypatch.setattr(scanning, "ALL_CPU_SECONDS", 0.3)
    answers = list(in_child(breaking, ["beside"] * 3 + ["a"]))
    *failed, last = answers
    assert last == "a"
    assert ["reading yarn.lock takes more than 0.1 s of CPU time"] + [
        "reading yarn.lock takes too long"
    ] * 2 == [answer.why for answer in failed if isinstance(answer, Failed)]


def test_a_file_that_is_not_understood_is_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scan goes on past such a file, counts it, and says that there was one."""
    monkeypatch.setattr(scanning, "_reader", crashing_on_a)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(WEAK)
    found = scan([tmp_path])
    assert ["b.py"] == [each.path.name for each in found.costs]
    assert (1, {"not understood": 1}) == (found.files, found.skipped)
    assert [("a.py", "its parser crashed")] == [(e.path.name, e.why) for e in found.unknown]


def test_broken_python_is_a_row(tmp_path: Path) -> None:
    """A file that no Python parses is listed as unknown, with the reason."""
    (tmp_path / "a.py").write_text("import bcrypt\nprint 1 2\nbcrypt.gensalt(11)\n")
    (row,) = scan([tmp_path]).unknown
    assert row.why.startswith("line 2: not Python")
