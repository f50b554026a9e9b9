"""decision.toml: written, read back, and refused where it cannot be."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from corpora import table
from hashcost.core.errors import UnreadableInputError
from hashcost.documents.decision import DecidedCost, Decision, load_decision, save_decision

COST = DecidedCost(
    hasher="argon2id",
    implementation="argon2-cffi",
    implementation_version="25.1",
    params={"memory_kib": 65536, "time_cost": 3, "parallelism": 1},
    target_seconds=0.25,
    time_seconds=0.2312,
    interval_seconds=(0.224, 0.2388),
    memory_bytes=64 << 20,
    decided=dt.datetime(2026, 11, 22, 16, tzinfo=dt.UTC),
    why='the slowest of 2 kinds of machine; "web9" left out',
    cpu_model="AMD EPYC",
    cpu_count=2,
    slowest=("web1",),
    hosts=("web1", "web2"),
)


def test_it_reads_back(tmp_path: Path) -> None:
    """What was written is read as it was, and is the same bytes if written again."""
    path = tmp_path / "decision.toml"
    bare = DecidedCost(
        hasher="house",
        implementation="own",
        implementation_version="1",
        params={"cost": 9},
        target_seconds=0.25,
        time_seconds=0.2,
        decided=COST.decided,
        why="all machines are alike",
        slowest=(),
        hosts=("web1",),
    )
    decision = Decision(cost=(COST, bare))
    save_decision(decision, path)
    content = path.read_bytes()

    assert decision == load_decision(path)
    save_decision(load_decision(path), path)
    assert content == path.read_bytes()
    assert content.startswith(b"# ")
    assert b"decided = 2026-11-22" in content


@table("before, after, told")
def test_what_cannot_be_is_refused(tmp_path: Path, before: str, after: str, told: str) -> None:
    """A file that a person has broken is refused in one line that names it."""
    path = tmp_path / "decision.toml"
    save_decision(Decision(cost=(COST,)), path)
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")
    with pytest.raises(UnreadableInputError, match=r"decision\.toml") as raised:
        load_decision(path)
    assert told in str(raised.value)
