"""A source that breaks its parser ends only itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hashcost.source_code import workers
from hashcost.source_code.matching import Matches, found_in
from hashcost.source_code.tree import scan
from hashcost.source_code.workers import Failed, Job, read_all

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
    assert all(isinstance(each, Matches) and len(each.costs) == 1 for each in found.values())


def test_no_text_needs_no_process() -> None:
    """Without anything to read there is no answer."""
    assert [] == list(read_all([]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fake parser needs fork")
def test_a_worker_has_so_much_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that keeps its parser busy is given up by CPU time, long before the deadline."""
    monkeypatch.setattr(workers, "found_in", breaking)
    monkeypatch.setattr(workers, "_LEAST_CPU_SECONDS", 0.1)
    assert {0: Failed("reading it takes too long")} == dict(read_all([job(0, "hang")]))


def test_a_long_text_is_read_in_a_worker() -> None:
    """One text is read as the same text in a scan is, whether it is short or long."""
    short = workers.read_one(WEAK, "python")
    long = workers.read_one(WEAK + "# more\n" * 1000, "python")
    assert isinstance(short, Matches)
    assert short == long


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fake parser needs fork")
def test_what_breaks_the_parser_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash, an endless parse and an error lose one file each, and all others are read."""
    monkeypatch.setattr(workers, "found_in", breaking)
    texts = [WEAK, "crash", WEAK, "hang", "fail", "crash", WEAK]
    found = dict(read_all([job(n, text) for n, text in enumerate(texts)], longest=1.0))
    assert {
        1: "its parser crashed",
        3: "reading it takes longer than 1 s",
        4: "its parser failed: RuntimeError",
        5: "its parser crashed",
    } == {number: each.why for number, each in found.items() if isinstance(each, Failed)}
    assert 3 == sum(isinstance(each, Matches) for each in found.values())


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
    assert [("a.py", "its parser crashed")] == [(e.path.name, e.why) for e in found.unknown]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fake parser needs fork")
def test_there_is_a_bound_over_all_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time for all is over, each file that is left says so."""
    monkeypatch.setattr(workers, "found_in", breaking)
    found = dict(read_all([job(n, "hang") for n in range(20)], together=0.5))
    assert {*range(20)} == {*found}
    whys = {each.why for each in found.values() if isinstance(each, Failed)}
    assert {"reading all files takes longer than 0.5 s: name fewer folders"} == whys


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fake parser needs fork")
def test_a_worker_ends_itself_when_its_parent_is_killed() -> None:
    """A worker whose parser does not end is gone soon after its parent is."""
    program = (
        "import os, sys, time\n"
        "from hashcost.source_code import workers\n"
        "def hang(*_, **__):\n"
        "    print(os.getpid(), flush=True)\n"
        "    while True: pass\n"
        "workers.found_in = hang\n"
        "workers._GRACE_SECONDS = 0.5\n"
        "job = workers.Job(number=0, text='', language='python', grammar='python')\n"
        "list(workers.read_all([job], longest=1.0))\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + 20
    while _is_running(worker) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _is_running(worker)


def _is_running(process: int) -> bool:
    """Whether a process is there, and is not one that has ended and nobody asked after."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        try:
            os.kill(process, 0)
        except OSError:
            return False
        return not Path("/proc/self").exists()
    return state != "Z"
