"""Reading with a limit, and writing so that no half file is ever left."""

import contextlib
import itertools
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import IO, Final

from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.core.foreign import path_name

_LOCK_PAUSE: Final = 5e-3


def read_limited(path: Path, limit: int) -> bytes:
    """Read a whole file of at most ``limit`` bytes.

    Raises:
        UnreadableInputError: it is absent, unreadable, no file, or larger.
    """
    try:
        with path.open("rb") as stream:
            return read_stream_limited(stream, limit, name=path_name(path))
    except OSError as error:
        raise UnreadableInputError(f"cannot read {path_name(path)}: {reason_of(error)}") from error
    except ValueError as error:
        raise UnreadableInputError(f"cannot read {path_name(path)}: it is not a path") from error


def read_stream_limited(stream: IO[bytes] | BufferedIOBase, limit: int, *, name: str) -> bytes:
    """Read a stream of at most ``limit`` bytes to its end; ``name`` is what messages call it.

    Raises:
        UnreadableInputError: it is unreadable, or longer.
    """
    try:
        content = stream.read(limit + 1)
    except OSError as error:
        raise UnreadableInputError(f"cannot read {name}: {reason_of(error)}") from error
    if len(content) > limit:
        raise UnreadableInputError(f"cannot read {name}: it is larger than {limit:,} bytes")
    return content


def check_writable(path: Path) -> None:
    """Find out, before any work is done, whether a file could be written here.

    Raises:
        UnwritableOutputError: it could not; the message says why.
    """
    try:
        if path.is_dir():
            raise UnwritableOutputError(
                f"cannot write {path_name(path)}: it is a folder; name a file"
            )
        if path.exists() and not path.is_file():
            return  # A device or pipe is written straight to.
        if path.exists() and not os.access(path, os.W_OK):
            raise UnwritableOutputError(f"cannot write {path_name(path)}: permission denied")
        descriptor, temporary = _temporary_beside(path)
        os.close(descriptor)
        temporary.unlink()
    except (OSError, RuntimeError) as error:
        raise UnwritableOutputError(
            f"cannot write {path_name(path)}: {reason_of(error)}"
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder that takes files, unless it is there.

    Raises:
        UnwritableOutputError: it cannot be made, or takes none.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableOutputError(
            f"cannot make the folder {path_name(path)}: {reason_of(error)}"
        ) from error
    check_writable(path / "hashcost")


@contextlib.contextmanager
def locked(path: Path, *, seconds: float) -> Iterator[None]:
    """Hold a lock file, which is left behind; other processes that want it wait.

    Raises:
        OSError: it cannot be opened, or was not free within so many seconds.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        deadline = time.monotonic() + seconds
        while not _is_ours(descriptor):
            if time.monotonic() >= deadline:
                raise BlockingIOError(f"{path_name(path)} is in use")
            time.sleep(_LOCK_PAUSE)
        yield
    finally:
        os.close(descriptor)  # That frees the lock.


def _is_ours(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False  # Somebody else holds it.
    return True


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file by this content, or leave it as it was.

    Raises:
        UnwritableOutputError: it could not be written.
    """
    with _writing(path):
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        target = path.resolve()  # Through a symbolic link, not over it.
        _replace(target, content, lambda made: made.chmod(_mode_for(target)))


def rewrite(path: Path, before: bytes, after: bytes) -> Path:
    """Change somebody else's file as a whole, and keep what it was beside it.

    It keeps its mode, owner, access lists and labels, and so does the backup, whose name
    ends in ``~``: what reads all files of a folder leaves such a file out.

    Returns:
        The path of the backup.

    Raises:
        UnwritableOutputError: it could not be written, or is no longer as it was.
    """
    with _writing(path):
        target = path.resolve()
        if target.read_bytes() != before:
            raise UnwritableOutputError(
                f"cannot write {path_name(path)}: it has changed meanwhile; run the command again"
            )
        backup = _free_backup(target)
        _replace(backup, before, lambda made: _make_like(made, target))
        try:
            _replace(target, after, lambda made: _make_like(made, target))
        except BaseException:
            backup.unlink()
            raise
        return path.with_name(backup.name) if path.parent.resolve() == target.parent else backup


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:
        raise UnwritableOutputError(
            f"cannot write {path_name(path)}: {reason_of(error)}"
        ) from error


def _replace(target: Path, content: bytes, finish: Callable[[Path], None]) -> None:
    """Put a finished file in the place of another, if there is one."""
    descriptor, temporary = _temporary_beside(target)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        finish(temporary)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _free_backup(path: Path) -> Path:
    """``name~``, or as GNU's numbered backups have it ``name.~1~``."""
    names = itertools.chain((f"{path.name}~",), (f"{path.name}.~{n}~" for n in itertools.count(1)))
    return next(each for each in map(path.with_name, names) if not os.path.lexists(each))


def _make_like(made: Path, model: Path) -> None:
    """Give a file the owner, the attributes and the mode of another."""
    status, own = model.stat(), made.stat()
    if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
        os.chown(made, status.st_uid, status.st_gid)
    for name in os.listxattr(model) if hasattr(os, "listxattr") else ():
        with contextlib.suppress(OSError):  # Some belong to the system alone.
            os.setxattr(made, name, os.getxattr(model, name))
    made.chmod(stat.S_IMODE(status.st_mode))


def _temporary_beside(path: Path) -> tuple[int, Path]:
    import tempfile  # Most commands write no file.

    descriptor, name = tempfile.mkstemp(dir=path.resolve().parent, prefix=".hashcost-")
    return descriptor, Path(name)


def _mode_for(path: Path) -> int:
    """The mode of the file that is replaced, or what the umask gives a new one."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def reason_of(error: OSError | RuntimeError) -> str:
    """Why; a loop of symbolic links is a RuntimeError before Python 3.13."""
    return (getattr(error, "strerror", None) or str(error)).lower()
