"""decision.toml: written, read back, and refused where it cannot be."""

from pathlib import Path

import pytest

from corpora import table
from hashcost.core.errors import UnreadableInputError
from hashcost.storage.decision import load_decision, save_decision

DECIDED = Path(__file__).with_name("decided.toml")
"""A cost with everything that is known of it, and one with as little as may be."""


def test_it_reads_back(tmp_path: Path) -> None:
    """What was written is read as it was, and is the same bytes if written again."""
    path = tmp_path / "decision.toml"
    save_decision(load_decision(DECIDED), path)
    assert DECIDED.read_bytes() == path.read_bytes()
    assert load_decision(DECIDED) == load_decision(path)
    assert b"decided = 2026-11-22" in path.read_bytes()


@table("before, after, told")
def test_what_cannot_be_is_refused(tmp_path: Path, before: str, after: str, told: str) -> None:
    """A file that a person has broken is refused in one line that names it."""
    path = tmp_path / "decision.toml"
    text = DECIDED.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), "utf-8")
    with pytest.raises(UnreadableInputError, match=r"decision\.toml") as raised:
        load_decision(path)
    assert told in str(raised.value)
