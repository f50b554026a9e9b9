"""What hashcost.toml and pyproject.toml tell ``calibrate check``."""

import contextlib
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora import cases, table
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError
from hashcost.storage.settings import SETTING_NAMES, Settings, find_settings, load_settings

WHOLE = cases(__file__, "settings.toml", "whole")


def written(folder: Path, content: str, name: str = "hashcost.toml") -> Path:
    """A file of settings."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    return path


def loaded(folder: Path, content: str) -> Settings:
    """The settings of a file of one's own."""
    found = load_settings(written(folder, content), shown=Path("hashcost.toml"))
    assert found is not None
    return found


def refused(folder: Path, content: str, name: str = "hashcost.toml") -> str:
    """Why a file is refused, without its path."""
    path = written(folder, content, name)
    with pytest.raises(UnreadableInputError) as error:
        load_settings(path)
    message = str(error.value)
    assert message.isprintable()
    return message.removeprefix(f"{path}: ")


class TestContent:
    """What a file may say."""

    def test_whole(self, tmp_path: Path) -> None:
        """Every setting is read, with its unit; paths are relative to the file."""
        assert loaded(tmp_path, WHOLE) == Settings(
            path=Path("hashcost.toml"),
            check=(
                ("bcrypt=12", Place(path="hashcost.toml", line=12)),
                ("argon2id=m=19456,t=2,p=1", Place(path="hashcost.toml", line=13)),
            ),
            app=(
                ("django", (tmp_path / "mysite/settings.py",)),
                ("laravel", (tmp_path / ".env", tmp_path / "config/hashing.php")),
            ),
            scan=(tmp_path / "src", tmp_path / "tools/hash.py"),
            target=0.25,
            max=0.5,
            profile=tmp_path / "profiles/server.json",
            max_age=90 * 86400.0,
            tolerance=0.3,
            policy=("owasp", str(tmp_path / "house.toml")),
            on_inconclusive="pass",
            over_budget="fail",
        )

    @table("content, files")
    def test_applications(self, tmp_path: Path, content: str, files: tuple[str, ...]) -> None:
        """An application is named, or given the files that it reads."""
        expected = (("django", tuple(tmp_path / each for each in files)),)
        assert expected == loaded(tmp_path, content).app

    def test_shared_file(self, tmp_path: Path) -> None:
        """In pyproject.toml the table is [tool.hashcost], and what else is there is left alone."""
        content = '[project]\nname = "x"\n\n[tool.hashcost]\ncheck = ["bcrypt=12"]\n'
        found = load_settings(written(tmp_path, content, "pyproject.toml"))

        assert found is not None
        assert [5] == [place.line for _, place in found.check]

    @pytest.mark.parametrize("content", ["", "[tool.other]\n", "tool = 3\n"])
    def test_shared_file_without_a_table(self, tmp_path: Path, content: str) -> None:
        """A pyproject.toml that has no such table has no settings."""
        assert load_settings(written(tmp_path, content, "pyproject.toml")) is None


@table("content, lines")
def test_lines(tmp_path: Path, content: str, lines: list[int]) -> None:
    """Each cost has the line it stands on; one that is spelt otherwise has none."""
    assert lines == [place.line or 0 for _, place in loaded(tmp_path, content).check]


def test_name_that_is_no_text(tmp_path: Path) -> None:
    """A file whose name is not UTF-8 is found again by its place."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    found = load_settings(written(folder, 'check = ["bcrypt=12"]'))

    assert found is not None
    assert os.fsencode(folder / "hashcost.toml") == os.fsencode(found.check[0][1].path)


class TestRefusal:
    """A file that means something else is refused, with what to change."""

    @pytest.mark.parametrize(("content", "message"), cases(__file__, "settings.toml", "message"))
    def test_message(self, tmp_path: Path, content: str, message: str) -> None:
        """The message names the file, the setting and what it should be."""
        assert refused(tmp_path, content).startswith(message)

    @pytest.mark.parametrize("key", SETTING_NAMES)
    def test_every_key_says_what_it_takes(self, tmp_path: Path, key: str) -> None:
        """A value of another type is refused with an example, and the example is read."""
        message = refused(tmp_path, f"{key} = 1979-05-27")
        assert message.startswith(f"{key}: write ")
        examples = re.findall(r'[\[{]*(?:\w+=)?"[^ ]+', message)

        assert examples
        for example in examples:
            written = loaded(tmp_path, f"{key} = {example}")
            assert getattr(written, key.replace("-", "_")) is not None

    def test_shared_file(self, tmp_path: Path) -> None:
        """A table that is none is refused."""
        message = refused(tmp_path, "[tool]\nhashcost = 3\n", "pyproject.toml")

        assert "[tool.hashcost]: it must be a table" == message

    @given(content=st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode()))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_any_bytes(self, tmp_path: Path, content: bytes) -> None:
        """Whatever a file holds, it is read or refused."""
        path = tmp_path / "hashcost.toml"
        path.write_bytes(content)
        with contextlib.suppress(UnreadableInputError):
            load_settings(path)


def test_nearest_folder(tmp_path: Path) -> None:
    """The nearest folder that has settings counts, and those above it do not."""
    written(tmp_path, "target = '1s'")
    written(tmp_path / "a", "target = '2s'")
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    found = find_settings(tmp_path / "a" / "b" / "c")

    assert found is not None
    assert (2.0, tmp_path / "a" / "hashcost.toml") == (found.target, found.path)


def test_project_without_settings(tmp_path: Path) -> None:
    """A pyproject.toml that says nothing about it leaves the word to the folders above."""
    written(tmp_path, "target = '1s'")
    written(tmp_path / "a", "[project]\n", "pyproject.toml")
    found = find_settings(tmp_path / "a")

    assert found is not None
    assert 1.0 == found.target


def test_a_folder_for_everybody_settles_nothing_below(tmp_path: Path) -> None:
    """Another user could put settings into /tmp by which every cost in a folder there is fine."""
    work = tmp_path / "shared" / "work"
    work.mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "shared"):
        (folder / "hashcost.toml").write_text("policy = []\n")
    assert find_settings(work) is not None
    (tmp_path / "shared").chmod(0o1777)
    assert find_settings(work) is None
    assert find_settings(tmp_path / "shared") is not None


@table("line")
def test_settings_name_files_and_folders(line: str, tmp_path: Path) -> None:
    """A pull request cannot make a job wait for a pipe, or read a device."""
    os.mkfifo(tmp_path / "pipe")
    assert "pipe' is neither a file nor a folder" in refused(tmp_path, line)
