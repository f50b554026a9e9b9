"""Reading with a limit and writing as a whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.documents.files import check_writable, read_limited, rewrite, write_whole


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


class TestReadLimited:
    """Reading a file of limited size."""

    @pytest.mark.parametrize("content", [b"", b"some", b"12345678"])
    def test_a_file_within_the_limit_is_read(self, tmp_path: Path, content: bytes) -> None:
        """A file of up to as many bytes as the limit is read whole."""
        path = tmp_path / "file"
        path.write_bytes(content)
        assert content == read_limited(path, 8)

    def test_an_endless_file_is_refused(self) -> None:
        """A device without an end is not read to its end."""
        with pytest.raises(UnreadableInputError, match=r"larger than 10 bytes$"):
            read_limited(Path("/dev/zero"), 10)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("absent", "no such file or directory"),
            ("file/inner", "not a directory"),
        ],
    )
    def test_what_is_no_file_is_refused(self, tmp_path: Path, name: str, reason: str) -> None:
        """What cannot be read is an input error that gives the system's reason."""
        (tmp_path / "file").touch()
        with pytest.raises(UnreadableInputError) as refused:
            read_limited(tmp_path / name, 10)
        assert str(refused.value) == f"cannot read {tmp_path / name}: {reason}"


class TestWriteWhole:
    """Writing a file as a whole."""

    def test_a_new_file_is_written(self, tmp_path: Path) -> None:
        """A new file holds the content, and nothing is left beside it."""
        write_whole(tmp_path / "new", b"content")
        assert (tmp_path / "new").read_bytes() == b"content"
        assert _names(tmp_path) == ["new"]

    @pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
    def test_a_new_file_has_the_mode_of_any_other(self, tmp_path: Path, mask: int) -> None:
        """A new file is as readable as the umask lets it be, and the umask stays."""
        before = os.umask(mask)
        try:
            write_whole(tmp_path / "new", b"content")
            after = os.umask(mask)
        finally:
            os.umask(before)
        assert mask == after
        assert 0o666 & ~mask == stat.S_IMODE((tmp_path / "new").stat().st_mode)

    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
    def test_a_replaced_file_keeps_its_mode(self, tmp_path: Path, mode: int) -> None:
        """A file that was private stays private."""
        path = tmp_path / "old"
        path.write_bytes(b"longer content than before")
        path.chmod(mode)
        write_whole(path, b"content")
        assert path.read_bytes() == b"content"
        assert mode == stat.S_IMODE(path.stat().st_mode)

    def test_a_link_is_written_through(self, tmp_path: Path) -> None:
        """Behind a symbolic link its target is replaced, and the link stays."""
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "target").write_bytes(b"before")
        (tmp_path / "link").symlink_to("folder/target")
        write_whole(tmp_path / "link", b"after")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "folder" / "target").read_bytes() == b"after"
        assert _names(tmp_path / "folder") == ["target"]

    # A pipe of the test's own stands for every device: root's tests must not name a real
    # one, which a mistake in write_whole would replace by a file.
    def test_a_pipe_is_written_to_and_stays(self, tmp_path: Path) -> None:
        """Who reads a named pipe, or a device, gets the content, and it is not replaced."""
        path = tmp_path / "pipe"
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            write_whole(path, b"content")
            assert path.is_fifo()
            assert os.read(reader, 100) == b"content"
        finally:
            os.close(reader)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("absent/file", "no such file or directory"),
            ("file/inner", "not a directory"),
        ],
    )
    def test_what_cannot_be_written_is_said(self, tmp_path: Path, name: str, reason: str) -> None:
        """What cannot be written is an output error that gives the system's reason."""
        (tmp_path / "file").touch()
        with pytest.raises(UnwritableOutputError) as refused:
            write_whole(tmp_path / name, b"content")
        assert str(refused.value) == f"cannot write {tmp_path / name}: {reason}"

    @pytest.mark.parametrize("interruption", [OSError(28, "No space left"), KeyboardInterrupt()])
    def test_an_interrupted_write_changes_nothing(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        interruption: BaseException,
    ) -> None:
        """When writing is broken off, the old file is whole and no half file is left."""

        def interrupted(path: Path, target: Path) -> Path:
            raise interruption

        (tmp_path / "old").write_bytes(b"before")
        monkeypatch.setattr(Path, "replace", interrupted)
        with pytest.raises((UnwritableOutputError, KeyboardInterrupt)):
            write_whole(tmp_path / "old", b"after")
        assert (tmp_path / "old").read_bytes() == b"before"
        assert _names(tmp_path) == ["old"]


class TestCheckWritable:
    """Finding out before the work whether a file can be written."""

    @pytest.mark.parametrize("name", ["old", "new", "link"])
    def test_it_changes_nothing(self, tmp_path: Path, name: str) -> None:
        """A path that can be written passes, and neither it nor its folder changes."""
        (tmp_path / "old").write_bytes(b"before")
        (tmp_path / "link").symlink_to("old")
        check_writable(tmp_path / name)
        assert _names(tmp_path) == ["link", "old"]
        assert (tmp_path / "old").read_bytes() == b"before"

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            (".", "it is a folder; name a file"),
            ("absent/file", "no such file or directory"),
        ],
    )
    def test_what_could_not_be_written_is_said(
        self, tmp_path: Path, name: str, reason: str
    ) -> None:
        """A path that cannot be written is an output error that gives the reason."""
        (tmp_path / "file").touch()
        with pytest.raises(UnwritableOutputError) as refused:
            check_writable(tmp_path / name)
        assert str(refused.value) == f"cannot write {tmp_path / name}: {reason}"

    def test_a_file_of_someone_else_is_said(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file without write permission is refused before the work, not after it."""
        path = tmp_path / "file"
        path.touch(mode=0o400)
        # Root may write anything, so the system's answer is given by hand.
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        with pytest.raises(UnwritableOutputError) as refused:
            check_writable(path)
        assert str(refused.value) == f"cannot write {path}: permission denied"


class TestRewrite:
    """Changing somebody else's file."""

    def test_the_file_as_it_was_is_kept_beside(self, tmp_path: Path) -> None:
        """No earlier backup is written over; both have the file's mode."""
        path = tmp_path / "app.env"
        path.write_bytes(b"A=1\n")
        path.chmod(0o640)
        assert rewrite(path, b"A=1\n", b"A=2\n") == tmp_path / "app.env~"
        assert rewrite(path, b"A=2\n", b"A=3\n") == tmp_path / "app.env.~1~"
        assert _names(tmp_path) == ["app.env", "app.env.~1~", "app.env~"]
        contents = [(tmp_path / name).read_bytes() for name in _names(tmp_path)]
        assert contents == [b"A=3\n", b"A=2\n", b"A=1\n"]
        modes = {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
        assert modes == {0o640}

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        """What it leads to is changed, and kept beside that."""
        (tmp_path / "real").mkdir()
        path, link = tmp_path / "real" / "settings.py", tmp_path / "settings.py"
        path.write_bytes(b"1")
        link.symlink_to(path)
        assert rewrite(link, b"1", b"2") == tmp_path / "real" / "settings.py~"
        assert link.is_symlink()
        assert path.read_bytes() == b"2"

    def test_what_changed_meanwhile_is_left_alone(self, tmp_path: Path) -> None:
        """Somebody's edit is not lost, and no backup is made."""
        path = tmp_path / "file"
        path.write_bytes(b"theirs")
        with pytest.raises(UnwritableOutputError, match="it has changed meanwhile"):
            rewrite(path, b"before", b"after")
        assert _names(tmp_path) == ["file"]
        assert path.read_bytes() == b"theirs"

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
    def test_the_owner_stays(self, tmp_path: Path) -> None:
        """Who could read it can still, and nobody else."""
        path = tmp_path / "file"
        path.write_bytes(b"1")
        os.chown(path, 12, 34)
        backup = rewrite(path, b"1", b"2")
        for each in (path, backup):
            assert (each.stat().st_uid, each.stat().st_gid) == (12, 34)

    def test_without_room_for_the_change_nothing_stays_behind(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file that could not be replaced is as it was, without a backup."""
        path = tmp_path / "file"
        path.write_bytes(b"1")
        replaced = Path.replace

        def full(self: Path, target: Path) -> Path:
            if target == path:
                raise OSError(28, "No space left on device")
            return replaced(self, target)

        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(UnwritableOutputError, match="no space left"):
            rewrite(path, b"1", b"2")
        assert _names(tmp_path) == ["file"]
