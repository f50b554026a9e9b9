"""Reading with a limit and writing as a whole."""

import contextlib
import fcntl
import os
import re
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Final
from unittest import mock

import pytest

from corpora import cases, table
from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.storage import files
from hashcost.storage.files import (
    check_writable,
    read_limited,
    read_stream_limited,
    rewrite,
    scratch_folder,
    write_whole,
)


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

    @table("name, reason")
    def test_what_is_no_file_is_refused(self, tmp_path: Path, name: str, reason: str) -> None:
        """What cannot be read is an input error that gives the system's reason."""
        (tmp_path / "file").touch()
        with pytest.raises(UnreadableInputError) as refused:
            read_limited(tmp_path / name, 10)
        assert str(refused.value) == f"cannot read {tmp_path / name}: {reason}"

    def test_a_pipe_is_read_while_somebody_writes_to_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also if the writer comes later, as the shell's own pipes have theirs; one to which
        nobody writes is refused.
        """
        path = tmp_path / "pipe"
        os.mkfifo(path)
        with ThreadPoolExecutor() as pool:
            written = pool.submit(path.write_bytes, b"some")
            assert b"some" == read_limited(path, 8)
            written.result()
        monkeypatch.setattr(files, "_PATIENCE_SECONDS", 0.1)
        with pytest.raises(UnreadableInputError, match=r"written to this pipe for 0\.1 s$"):
            read_limited(path, 8)
        if sys.platform == "linux":  # Others do not tell a shell's own pipe from a named one.
            reading, writing = os.pipe()
            with os.fdopen(reading), ThreadPoolExecutor() as pool:
                late = pool.submit(_write_late, writing)
                assert b"late" == read_limited(Path(f"/dev/fd/{reading}"), 8)
                late.result()


def _write_late(descriptor: int) -> None:
    time.sleep(0.3)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(b"late")


class TestWriteWhole:
    """Writing a file as a whole."""

    @pytest.mark.parametrize("mode", [None, 0o600, 0o755])
    def test_a_file_is_as_open_as_before(self, tmp_path: Path, mode: int | None) -> None:
        """A new file is as readable as the umask lets it be; one that was private stays private.
        Nothing is left beside it.
        """
        path = tmp_path / "file"
        if mode is not None:
            path.write_bytes(b"longer content than before")
            path.chmod(mode)
        before = os.umask(0o027)
        try:
            write_whole(path, b"content")
            assert 0o027 == os.umask(0o027)
        finally:
            os.umask(before)
        assert path.read_bytes() == b"content"
        assert (0o640 if mode is None else mode) == stat.S_IMODE(path.stat().st_mode)
        assert _names(tmp_path) == ["file"]

    def test_a_link_is_written_through(self, tmp_path: Path) -> None:
        """Behind a symbolic link its target is replaced, and the link stays."""
        path, link = tmp_path / "file", tmp_path / "link"
        path.write_bytes(b"0")
        link.symlink_to(path)
        write_whole(link, b"1")
        assert (True, b"1") == (link.is_symlink(), path.read_bytes())
        rewrite(link, b"1", b"2", tmp_path / "state")
        assert (True, b"2") == (link.is_symlink(), path.read_bytes())

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

    def test_a_pipe_without_a_reader_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A reader may come later; where none comes, the command does not wait for ever."""
        path = tmp_path / "pipe"
        os.mkfifo(path)
        with ThreadPoolExecutor() as pool:
            read = pool.submit(path.read_bytes)
            write_whole(path, b"content")
            assert b"content" == read.result()
        monkeypatch.setattr(files, "_PATIENCE_SECONDS", 0.1)
        with pytest.raises(UnwritableOutputError, match=r"read from this pipe for 0\.1 s$"):
            write_whole(path, b"content")

    @table("name, reason")
    def test_what_cannot_be_written_is_said(self, tmp_path: Path, name: str, reason: str) -> None:
        """What cannot be written is an output error that gives the reason, before the work too."""
        (tmp_path / "file").touch()
        for write in (check_writable, lambda path: write_whole(path, b"content")):
            with pytest.raises(UnwritableOutputError) as refused:
                write(tmp_path / name)
            assert str(refused.value) == f"cannot write {tmp_path / name}: {reason}"

    def test_a_link_that_nobody_typed_is_not_followed(self, tmp_path: Path) -> None:
        """A name that the program chose may have been laid there for it."""
        for name in ("absent", "there"):
            (tmp_path / name).symlink_to(f"{name}-target")
        (tmp_path / "there-target").write_bytes(b"theirs")
        for name in ("absent", "there"):
            for written in (lambda p: write_whole(p, b"", typed=False), _checked):
                with pytest.raises(UnwritableOutputError, match="it is a link; remove it"):
                    written(tmp_path / name)
        assert not (tmp_path / "absent-target").exists()
        assert b"theirs" == (tmp_path / "there-target").read_bytes()

    def test_a_killed_run_leaves_nothing_for_long(self, tmp_path: Path) -> None:
        """The next run in the folder removes what no run holds, and nothing else."""
        stale, held, other = (tmp_path / f".hashcost-{c * 16}" for c in "01x")
        for path in (stale, held, other):
            path.write_bytes(b"secret")
        with held.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            write_whole(tmp_path / "new", b"")
        assert sorted([held.name, other.name, "new"]) == _names(tmp_path)

    def test_runs_do_not_remove_what_others_write(self, tmp_path: Path) -> None:
        """Several that write in one folder at once all succeed."""

        def write(number: int) -> None:
            for _ in range(100):
                check_writable(tmp_path / str(number))
                write_whole(tmp_path / str(number), b"")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        assert _names(tmp_path) == [str(number) for number in range(8)]

    @pytest.mark.parametrize("interruption", [OSError(28, "No space left"), KeyboardInterrupt()])
    def test_an_interrupted_write_changes_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruption: BaseException
    ) -> None:
        """When writing is broken off, the old file is whole and no half file is left."""

        def interrupted(*_: object, **__: object) -> None:
            raise interruption

        (tmp_path / "old").write_bytes(b"before")
        monkeypatch.setattr(os, "replace", interrupted)
        with pytest.raises((UnwritableOutputError, KeyboardInterrupt)):
            write_whole(tmp_path / "old", b"after")
        assert (tmp_path / "old").read_bytes() == b"before"
        assert _names(tmp_path) == ["old"]


def test_nowhere_to_put_temporary_files_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder for temporary files can be written, the variable to set is named."""
    no_folder = FileNotFoundError(2, "No usable temporary directory found")
    monkeypatch.setattr(tempfile, "gettempdir", mock.Mock(side_effect=no_folder))
    with pytest.raises(UnwritableOutputError, match="set TMPDIR to a folder"), scratch_folder():
        pass


def test_what_never_ends_is_refused() -> None:
    """As /proc/kmsg, which has nothing yet and may always have more."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with (
        os.fdopen(reading, "rb") as stream,
        os.fdopen(writing, "wb"),
        pytest.raises(UnreadableInputError, match="cannot read it: it has no end"),
    ):
        read_stream_limited(stream, 100, name="it")


def _checked(path: Path) -> None:
    check_writable(path, typed=False)


@pytest.mark.parametrize("name", ["old", "new", "link"])
def test_checking_changes_nothing(tmp_path: Path, name: str) -> None:
    """A path that can be written passes, and neither it nor its folder changes."""
    (tmp_path / "old").write_bytes(b"before")
    (tmp_path / "link").symlink_to("old")
    check_writable(tmp_path / name)
    assert _names(tmp_path) == ["link", "old"]
    assert (tmp_path / "old").read_bytes() == b"before"


def test_a_file_of_someone_else_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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

    def test_the_file_as_it_was_is_kept_in_the_state_folder(self, tmp_path: Path) -> None:
        """For its user only, with its time, the last ten of each file; and nowhere else."""
        web, state = tmp_path / "web", tmp_path / "state"
        web.mkdir()
        path, other = web / ("ä" * 120), web / "b"
        for file in (path, other):
            file.write_bytes(b"0")
            file.chmod(0o644)
        os.utime(path, ns=(1, 1))
        first = rewrite(path, b"0", b"1", state)
        assert 1 == first.stat().st_mtime_ns
        texts = [b"%d" % n for n in range(1, 13)]
        backups = [rewrite(path, *pair, state) for pair in pairwise(texts)]
        rewrite(other, b"0", b"1", state)

        assert sorted([path.name, "b"]) == _names(web)
        assert b"12" == path.read_bytes()
        assert texts[1:-1] == [backup.read_bytes() for backup in backups[1:]]
        assert {*backups[1:]} == {*first.parent.iterdir()}
        assert state / "backups" == first.parents[1]
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (state / "backups").rglob("*")}
        assert modes == {0o700, 0o600}
        assert 0o700 == stat.S_IMODE((state / "backups").stat().st_mode)
        assert 0o644 == stat.S_IMODE(path.stat().st_mode)

    @pytest.mark.parametrize(
        ("made", "reason"),
        [
            (lambda path: path.write_bytes(b"theirs"), "it has changed meanwhile"),
            (os.mkfifo, "it is not a regular file"),
            (Path.mkdir, "it is a folder"),
            (lambda path: path.hardlink_to(path.parent / "other"), "it has 2 names (hard links)"),
        ],
    )
    def test_what_cannot_be_replaced_is_left_alone(
        self, tmp_path: Path, made: Callable[[Path], object], reason: str
    ) -> None:
        """It is refused with the reason, and no backup is made."""
        path, state = tmp_path / "file", tmp_path / "state"
        (tmp_path / "other").write_bytes(b"before")
        made(path)
        with pytest.raises(UnwritableOutputError, match=re.escape(reason)):
            rewrite(path, b"before", b"after", state)
        assert _names(tmp_path) == ["file", "other", "state"]
        assert [".lock"] == [entry.name for entry in state.rglob("*") if not entry.is_dir()]

    def test_a_link_in_place_of_the_lock_is_not_followed(self, tmp_path: Path) -> None:
        """The file that it points to is neither made nor emptied, and nothing is changed."""
        path, state, other = (tmp_path / name for name in ("file", "state", "other"))
        path.write_bytes(b"1")
        other.write_bytes(b"theirs")
        (state / "backups").mkdir(parents=True)
        lock = state / "backups" / ".lock"
        for target in (other, tmp_path / "absent"):
            lock.unlink(missing_ok=True)
            lock.symlink_to(target)
            with pytest.raises(UnwritableOutputError, match=r"cannot write .*state/backups"):
                rewrite(path, b"1", b"2", state)
        assert (b"1", b"theirs") == (path.read_bytes(), other.read_bytes())
        assert ["file", "other", "state"] == _names(tmp_path)

    @pytest.mark.parametrize("name", ["state", "state/backups"])
    @pytest.mark.parametrize("laid", ["link", "dangling", "stranger"])
    def test_a_folder_of_another_user_gets_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, laid: str
    ) -> None:
        """Neither a link in the place of a folder nor one that another user owns is written to,
        and the file stays as it is.
        """
        path, theirs, folder = tmp_path / "file", tmp_path / "theirs", tmp_path / name
        path.write_bytes(b"1")
        folder.parent.mkdir(exist_ok=True)
        theirs.mkdir()
        reason = "it is a link"
        if laid == "stranger":
            folder.mkdir()
            monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
            reason = "it belongs to another user"
        else:
            folder.symlink_to(theirs if laid == "link" else tmp_path / "absent")
        with pytest.raises(UnwritableOutputError, match=f"{reason}; set XDG_STATE_HOME to a"):
            rewrite(path, b"1", b"2", tmp_path / "state")
        assert b"1" == path.read_bytes()
        assert [] == _names(theirs)
        assert not (tmp_path / "absent").exists()

    def test_without_a_place_for_a_backup_nothing_is_changed(self, tmp_path: Path) -> None:
        """Neither where there is no home directory, nor where it takes no file."""
        path = tmp_path / "file"
        path.write_bytes(b"1")
        for state, reason in ((None, "set XDG_STATE_HOME"), (path, "it is not a folder; set XDG")):
            with pytest.raises(UnwritableOutputError, match=reason):
                rewrite(path, b"1", b"2", state)
        assert b"1" == path.read_bytes()

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
    def test_who_may_open_it_stays(self, tmp_path: Path) -> None:
        """Owner, group, mode and access list are those of the file; where they cannot be,
        nothing is changed.
        """
        path = tmp_path / "file"
        path.write_bytes(b"1")
        os.chown(path, 12, 34)
        path.chmod(0o640)
        # Version 2: the owner, uid 77, the group, the mask, others.
        rights = ((1, 6, -1), (2, 4, 77), (4, 0, -1), (16, 4, -1), (32, 0, -1))
        entries = b"".join(struct.pack("<HHi", *entry) for entry in rights)
        with contextlib.suppress(OSError):  # A file system without access lists.
            os.setxattr(path, _ACL, struct.pack("<I", 2) + entries)
        before = _rights(path)
        rewrite(path, b"1", b"2", tmp_path / "state")
        assert before == _rights(path)
        with (
            mock.patch.object(os, "fchown", side_effect=PermissionError(1, "Not permitted")),
            pytest.raises(UnwritableOutputError, match="not permitted"),
        ):
            rewrite(path, b"2", b"3", tmp_path / "state")
        assert (b"2", before) == (path.read_bytes(), _rights(path))
        assert ["file", "state"] == _names(tmp_path)

    @pytest.mark.slow
    def test_whoever_swaps_names_gets_nothing(self, tmp_path: Path) -> None:
        """In the folder of a stranger, who replaces each new name by a link to a file that is
        not his, that file keeps its mode, owner and content.
        """
        folder, victim = tmp_path / "folder", tmp_path / "victim"
        folder.mkdir()
        path = folder / "file"
        victim.write_bytes(b"root's")
        victim.chmod(0o600)
        stranger = subprocess.Popen([sys.executable, "-c", _SWAP, folder, victim])
        try:
            for _ in range(1000):
                if not path.is_file() or path.is_symlink():
                    path.unlink(missing_ok=True)
                    path.write_bytes(b"1")
                    path.chmod(0o666)
                with contextlib.suppress(UnwritableOutputError):
                    rewrite(path, b"1", b"1", tmp_path / "state")
        finally:
            stranger.kill()
            stranger.wait()
        assert (0o600, os.geteuid()) == (victim.stat().st_mode & 0o777, victim.stat().st_uid)
        assert b"root's" == victim.read_bytes()

    def test_what_a_killed_run_left_is_no_backup(self, tmp_path: Path) -> None:
        """The next run removes it, and keeps ten backups."""
        path, state = tmp_path / "file", tmp_path / "state"
        path.write_bytes(b"0")
        kept, *_ = (rewrite(path, b"0", b"0", state).parent for _ in range(10))
        for name in ("0", "1"):
            (kept / f".hashcost-{name * 16}").touch()
        rewrite(path, b"0", b"1", state)

        assert b"1" == path.read_bytes()
        assert [f"{number:06}-file" for number in range(2, 12)] == _names(kept)

    def test_no_link_stands_for_the_backups(self, tmp_path: Path) -> None:
        """Whoever lays one in another's state folder has nothing removed behind it."""
        path, state, theirs = (tmp_path / name for name in ("file", "state", "theirs"))
        path.write_bytes(b"0")
        own = rewrite(path, b"0", b"1", state).parent
        theirs.mkdir()
        for number in range(20):
            (theirs / str(number)).touch()
        own.rename(tmp_path / "moved")
        own.symlink_to(theirs)
        with pytest.raises(UnwritableOutputError, match="not a directory"):
            rewrite(path, b"1", b"2", state)
        assert (b"1", 20) == (path.read_bytes(), len(_names(theirs)))

    def test_no_edit_of_several_is_lost(self, tmp_path: Path) -> None:
        """Of four writers with 50 edits each, who try again when told to, all 200 are there."""
        path = tmp_path / "file"
        path.touch()
        program = [sys.executable, "-c", _EDIT, str(path), str(tmp_path / "state")]
        writers = [subprocess.Popen([*program, str(n)]) for n in range(4)]
        assert [0] * 4 == [writer.wait() for writer in writers]
        assert 200 == len({*path.read_text().splitlines()})


_ACL: Final = "system.posix_acl_access"
_SWAP: Final = cases(__file__, "files.toml", "swap")
_EDIT: Final = cases(__file__, "files.toml", "edit")


def _rights(path: Path) -> tuple[object, ...]:
    status = path.stat()
    names = [name for name in os.listxattr(path) if name == _ACL]
    access = [os.getxattr(path, name) for name in names]
    return status.st_uid, status.st_gid, status.st_mode, access
