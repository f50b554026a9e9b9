"""Files and folders to compare."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.errors import UnreadableInputError
from hashcost.machines.profile_files import load_machines, unique_names
from made_up import PROFILE_FILE

MADE_UP = PROFILE_FILE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two profiles, and files that are none."""
    found = tmp_path / "machines"
    found.mkdir()
    for name in ("b.json", "a.json"):
        shutil.copy(MADE_UP, found / name)
    (found / "notes.txt").write_text("not JSON")
    (found / "list.json").write_text("[1, 2]")
    (found / "capacity.json").write_text('{"schema": 1, "kind": "capacity", "results": []}')
    (found / "deeper.json").mkdir()
    return found


def test_a_folder_stands_for_its_files(folder: Path) -> None:
    """Its JSON files are taken by name; what is whole and something else is passed over aloud."""
    found, skipped = load_machines([folder])

    assert ["a", "b"] == [each.name for each in found]
    assert 2 == len(skipped)
    assert all("is not a profile; skipped" in line for line in skipped)


def test_a_file_is_taken_once(folder: Path) -> None:
    """A file that is named and lies in a folder that is named is one machine, not two."""
    found, _ = load_machines([folder / "b.json", folder, folder / ".." / "machines" / "a.json"])

    assert ["b", "a"] == [each.name for each in found]


@pytest.mark.parametrize("name", ["list.json", "capacity.json"])
def test_a_named_file_must_be_one(folder: Path, name: str) -> None:
    """What the user names is not passed over."""
    with pytest.raises(UnreadableInputError, match=f"{name} is not a profile"):
        load_machines([folder, folder / name, folder / "a.json"][1:])


@pytest.mark.parametrize("content", [MADE_UP.read_bytes()[:-9], b'{"schema": 1, "results": [1]}'])
def test_a_damaged_profile_is_not_passed_over(folder: Path, content: bytes) -> None:
    """A cost for all machines that leaves one out in silence would be too high for it."""
    (folder / "c.json").write_bytes(content)
    with pytest.raises(UnreadableInputError, match=r"c\.json is "):
        load_machines([folder])


_parts = st.text("ab./\x07", min_size=1, max_size=6)


@given(st.lists(_parts, min_size=1, max_size=8, unique_by=Path))
def test_no_two_names_are_alike(texts: list[str]) -> None:
    """However files are called, each has a name of its own that can be printed."""
    names = unique_names([Path(text) for text in texts])

    assert len({*names}) == len(names)
    assert all(name.isprintable() and name for name in names)
