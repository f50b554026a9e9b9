"""Reading with a limit, and the one way to write a file: whole, and only in its own folder."""

import contextlib
import errno
import math
import os
import re
import select
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedIOBase, BufferedReader
from pathlib import Path
from typing import IO, Final

from hashcost.core.errors import UnreadableInputError, UnwritableOutputError, check_posix
from hashcost.core.text import path_name
from hashcost.core.units import parse_count

_TEMPORARY: Final = re.compile(r"\.hashcost-[0-9a-f]{16}")
LARGEST_FILE: Final = 16 << 20
"""Bytes of one file that is read whole; the largest profiles and lock files have a few million."""
# Backups of one file.
_BACKUPS_KEPT: Final = 10
# Bytes of a file's name in that of its backup, which most file systems end at 255.
_LONGEST_NAME: Final = 200
NO_SCRATCH: Final = "cannot write temporary files here: set TMPDIR to a folder that can be written"
# For another run to end its change, which takes milliseconds, or to write to a pipe.
_PATIENCE_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.005
# Attributes that say who may open a file, besides its owner and mode.
_RIGHTS: Final = ("system.posix_acl_access", "security.selinux") if sys.platform == "linux" else ()


def read_limited(path: Path, limit: int = LARGEST_FILE) -> bytes:
    """Read a whole file of at most ``limit`` bytes.

    Raises:
        UnreadableInputError: it is absent, unreadable, larger, or not a file.
    """
    try:
        with open_at_once(path) as stream:
            return read_stream_limited(stream, limit, name=path_name(path))
    except OSError as error:
        why = f"cannot read {path_name(path)}: {reason_of(error)}"
        raise UnreadableInputError(why) from error
    except ValueError as error:  # A NUL, which no path has.
        raise UnreadableInputError(f"cannot read {path_name(path)}: it is not a path") from error


def open_at_once(path: Path) -> BufferedReader:
    """Open a file to read, without waiting for what a regular one of the kernel's has not yet.

    Somebody must soon write to a named pipe.
    """

    def opened(name: str, flags: int) -> int:
        is_pipe = Path(os.path.realpath(path)).is_fifo()  # A shell's own pipe has no real path.
        # A terminal is waited for. Files of the kernel, such as /proc/kmsg, would block for ever.
        if is_pipe or path.is_file():
            flags |= getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(name, flags)
        if is_pipe:
            if not select.select([descriptor], [], [], _PATIENCE_SECONDS)[0]:
                os.close(descriptor)
                raise OSError(0, f"nothing was written to this pipe for {_PATIENCE_SECONDS:g} s")
            os.set_blocking(descriptor, True)
        return descriptor

    return open(path, "rb", opener=opened)


def read_stream_limited(stream: IO[bytes] | BufferedIOBase, limit: int, *, name: str) -> bytes:
    """Read a stream of at most ``limit`` bytes to its end; messages call it ``name``.

    Raises:
        UnreadableInputError: it is unreadable, or longer.
    """
    try:
        content = stream.read(limit + 1)
    except OSError as error:
        raise UnreadableInputError(f"cannot read {name}: {reason_of(error)}") from error
    if content is None:  # Such as /proc/kmsg.
        raise UnreadableInputError(f"cannot read {name}: it has no end")
    if len(content) > limit:
        raise UnreadableInputError(f"cannot read {name}: it is larger than {limit:,} bytes")
    return content


def check_writable(path: Path, *, typed: bool = True) -> None:
    """Find out, before any work is done, whether a file could be written here.

    Raises:
        UnwritableOutputError: it could not; the message says why.
    """
    with _writing(path):
        if _is_written_straight(path, typed=typed):
            return
        with _opened(path, typed=typed) as (folder, _, old):
            if old is not None and not os.access(path, os.W_OK):
                raise UnwritableOutputError(f"cannot write {path_name(path)}: permission denied")
            temporary, descriptor = _temporary(folder)
            os.unlink(temporary, dir_fd=folder)
            os.close(descriptor)  # Until then no other run takes it for stale.


def make_folder(path: Path, *, typed: bool = True) -> None:
    """Make a folder that takes files, unless it is there; a link only counts if it was ``typed``.

    Raises:
        UnwritableOutputError: it cannot be made, or takes none.
    """
    with _writing(path, "make the folder"):
        if not typed and path.is_symlink():
            raise OSError(0, "it is a link; remove it")
        path.mkdir(parents=True, exist_ok=True)
    check_writable(path / "hashcost", typed=False)


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder that is removed at the end.

    Raises:
        UnwritableOutputError: there is no place for one.
    """
    from tempfile import TemporaryDirectory  # Most commands need none.

    try:
        folder = TemporaryDirectory(prefix="hashcost-")
    except OSError as error:
        raise UnwritableOutputError(NO_SCRATCH) from error
    with folder as name:
        yield Path(name)


def make_own_folder(path: Path) -> None:
    """Make a folder for this user only, unless it is there.

    Raises:
        UnwritableOutputError: it cannot be made, or another user may have laid it.
    """
    with _writing(path, "use the folder"):
        with contextlib.suppress(FileExistsError):  # What is there is looked at below.
            path.mkdir(mode=0o700, parents=True)
        _check_own(path.lstat())


def is_own_folder(path: Path) -> bool:
    """Whether it is a folder of this user, and no link."""
    try:
        _check_own(path.lstat())
    except OSError:
        return False
    return True


def _check_own(status: os.stat_result) -> None:
    """Refuse a folder whose content another user may choose."""
    if stat.S_ISLNK(status.st_mode):
        raise OSError(0, "it is a link")
    if not stat.S_ISDIR(status.st_mode):
        raise OSError(0, "it is not a folder")
    if os.name == "posix" and status.st_uid != os.geteuid():
        raise OSError(0, "it belongs to another user")


def write_whole(path: Path, content: bytes, *, typed: bool = True) -> None:
    """Replace a file by this content, or leave it as it was.

    A link is followed, and a device or a pipe written to, only if the path was ``typed``: one
    that the program has chosen may have been laid there for it.

    Raises:
        UnwritableOutputError: it could not be written.
    """
    with _writing(path):
        if _is_written_straight(path, typed=typed):
            with open(path, "wb", opener=_open_to_write) as stream:
                stream.write(content)
            return
        with _opened(path, typed=typed) as (folder, name, old):
            if old is None:
                _replace(folder, name, content, mode=0o666)
            else:
                _replace(folder, name, content, finish=partial(_give_rights, old))


def rewrite(
    path: Path, before: bytes, after: bytes, state: Path | None, *, typed: bool = True
) -> Path:
    """Change somebody else's file as a whole, and keep a backup in the ``state`` folder.

    Of one file, the last ten backups are kept, for the user only. Runs of the same user change
    files one after the other.

    Returns:
        The path of the backup.

    Raises:
        UnwritableOutputError: it could not be written, or is no longer as it was.
    """
    from filelock import FileLock  # Most commands change no file.

    check_posix("changing a file in place")
    if state is None:
        raise UnwritableOutputError(
            f"cannot write {path_name(path)}: there is no folder to keep a backup in; set"
            " XDG_STATE_HOME to one"
        )
    backups = state / "backups"
    try:
        make_own_folder(state)
        make_own_folder(backups)
        with _writing(backups):
            # It refuses a link in the place of the lock.
            lock = FileLock(backups / ".lock", _PATIENCE_SECONDS, mode=0o600)
            turn = lock.acquire(poll_interval=_POLL_SECONDS)
    except UnwritableOutputError as error:
        raise UnwritableOutputError(
            f"{error}; set XDG_STATE_HOME to a folder of your own, for the backup"
        ) from error
    with turn, _writing(path), _opened(path, typed=typed) as (folder, name, old):
        # A byte more than before shows whether something was added.
        if old is None or os.pread(old, len(before) + 1, 0) != before:
            raise OSError(0, "it has changed meanwhile; run the command again")
        backup = _backup(backups, path.resolve(), old, before)
        try:
            _replace(folder, name, after, finish=partial(_give_rights, old))
        except BaseException:
            # It would push an older backup out, of a change that was made.
            backup.unlink()
            raise
        return backup


@contextlib.contextmanager
def _writing(path: Path, doing: str = "write") -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = reason_of(error)
        raise UnwritableOutputError(
            f"cannot {doing} {path_name(path)}: {reason}", reason
        ) from error


def _open_to_write(name: str, flags: int) -> int:
    """Open a file, a device or a pipe; somebody must soon read from a named pipe."""
    tries = math.ceil(_PATIENCE_SECONDS / _POLL_SECONDS)
    while Path(name).is_fifo() and tries:
        tries -= 1
        try:
            descriptor = os.open(name, flags | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            time.sleep(_POLL_SECONDS)
            continue
        os.set_blocking(descriptor, True)
        return descriptor
    if not tries:
        raise OSError(0, f"nobody has read from this pipe for {_PATIENCE_SECONDS:g} s")
    return os.open(name, flags)


def _is_written_straight(path: Path, *, typed: bool) -> bool:
    """Whether it is a device or a pipe; on Windows, nothing is opened relative to a folder."""
    is_stream = path.exists() and not path.is_file() and not path.is_dir()
    return (typed and is_stream) or os.name != "posix"


@contextlib.contextmanager
def _opened(path: Path, *, typed: bool) -> Iterator[tuple[int, str, int | None]]:
    """The descriptor of a file's folder, its name there, and its own descriptor if it exists.

    Whatever happens to the path from now on, these stay.
    """
    # Only a link that the user named is followed.
    whole = path
    if typed:
        whole = path.resolve()
    with contextlib.ExitStack() as closing:
        folder = os.open(whole.parent, os.O_RDONLY | os.O_DIRECTORY)
        closing.callback(os.close, folder)
        name = whole.name or "."
        old = None
        with contextlib.suppress(FileNotFoundError):
            # Asked twice, since another file may take its place before it is opened.
            _check_plain(os.stat(name, dir_fd=folder, follow_symlinks=False))
            old = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            closing.callback(os.close, old)
            _check_plain(os.fstat(old))
        yield folder, name, old


def _check_plain(status: os.stat_result) -> None:
    """Refuse what cannot be replaced by a file without changing something else."""
    if stat.S_ISLNK(status.st_mode):
        raise OSError(0, "it is a link; remove it")
    if stat.S_ISDIR(status.st_mode):
        raise OSError(0, "it is a folder; name a file")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "it is not a regular file; remove it")
    if status.st_nlink > 1:
        names = f"it has {status.st_nlink} names (hard links), and only one would change"
        raise OSError(0, f"{names}; put a copy in its place first")


def _replace(
    folder: int,
    name: str,
    content: bytes,
    *,
    mode: int = 0o600,
    finish: Callable[[int], None] = lambda _: None,
) -> None:
    """Replace a file, or make it, once its content is complete."""
    temporary, descriptor = _temporary(folder, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            finish(descriptor)
            # After a power cut, the name must not lead to a file without its content.
            os.fsync(descriptor)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)


def _give_rights(old: int, new: int) -> None:
    """Give the new file the permissions of the old one."""
    status, own = os.fstat(old), os.fstat(new)
    # Only root may give a file away, and nothing has to be given to the same owner.
    if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
        os.fchown(new, status.st_uid, status.st_gid)
    for name in _RIGHTS:
        wanted = _attribute(old, name)
        if wanted is not None and wanted != _attribute(new, name):
            os.setxattr(new, name, wanted)
        elif wanted is None and _attribute(new, name) is not None:
            os.removexattr(new, name)
    # Last, since a change of owner clears the set-user-ID bits.
    os.fchmod(new, stat.S_IMODE(status.st_mode))


def _attribute(descriptor: int, name: str) -> bytes | None:
    with contextlib.suppress(OSError):  # It has none, or its file system knows none.
        return os.getxattr(descriptor, name)
    return None


def _temporary(folder: int, mode: int = 0o600) -> tuple[str, int]:
    """Make a file, and lock it until it is closed."""
    _remove_stale(folder)
    while True:
        name = f".hashcost-{os.urandom(8).hex()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        descriptor = os.open(name, flags, mode, dir_fd=folder)
        if _locked(descriptor):
            return name, descriptor
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Lock a file, unless another run holds it to remove it, or has done so."""
    import fcntl  # Windows has none, and reads all the same.

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # Its file system has no locks, so no run removes it.
        return True
    return os.fstat(descriptor).st_nlink > 0


def _remove_stale(folder: int) -> None:
    """Remove the files of killed runs, whose locks are free."""
    import fcntl

    for name in filter(_TEMPORARY.fullmatch, os.listdir(folder)):
        with contextlib.suppress(OSError):
            stale = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            try:
                fcntl.flock(stale, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(name, dir_fd=folder)
            finally:
                os.close(stale)


def _backup(folder: Path, path: Path, old: int, content: bytes) -> Path:
    """Back up a file, and drop its oldest backup."""
    # Each file has a folder of its own, since files of one name lie in many places.
    own = folder / f"{zlib.crc32(os.fsencode(path)):08x}"
    status = os.fstat(old)
    times = status.st_atime_ns, status.st_mtime_ns
    with _writing(own), contextlib.ExitStack() as closing:
        own.mkdir(mode=0o700, exist_ok=True)
        # No link: the state folder of one user may be laid out by another, as under sudo.
        inside: int = os.open(own, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        closing.callback(os.close, inside)
        # Names begin with the number of the backup, so their order is that of time.
        newest = max(os.listdir(inside), default="")
        number = 1 + (parse_count(newest.partition("-")[0]) or 0)
        own_name = os.fsdecode(os.fsencode(path.name)[:_LONGEST_NAME])
        name = f"{number:06}-{own_name}"
        _replace(inside, name, content, finish=partial(os.utime, ns=times))
        for oldest in sorted(os.listdir(inside))[:-_BACKUPS_KEPT]:
            os.unlink(oldest, dir_fd=inside)
    return own / name


def reason_of(error: OSError | RuntimeError) -> str:
    """The system's reason; a loop of symbolic links is a RuntimeError before Python 3.13."""
    return (getattr(error, "strerror", None) or str(error)).lower()
