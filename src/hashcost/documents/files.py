"""Reading with a limit, and writing so that no half file is ever left."""

import contextlib
import itertools
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.core.text import path_name


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
    """Read a stream of at most ``limit`` bytes to its end; messages call it ``name``.

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
    with _writing(path):
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
    """Change somebody else's file as a whole, and keep the old content in a backup beside it.

    Both have the file's mode and owner. The name of the backup ends in ``~``, since programs
    that read all files of a folder leave such a file out.

    Returns:
        The path of the backup.

    Raises:
        UnwritableOutputError: it could not be written, or is no longer as it was.
    """

    def finish(made: Path) -> None:
        status = target.stat()
        if (status.st_uid, status.st_gid) != (made.stat().st_uid, made.stat().st_gid):
            shutil.chown(made, status.st_uid, status.st_gid)
        made.chmod(stat.S_IMODE(status.st_mode))

    with _writing(path):
        target = path.resolve()
        if target.read_bytes() != before:
            raise UnwritableOutputError(
                f"cannot write {path_name(path)}: it has changed meanwhile; run the command again"
            )
        # As GNU names backups: name~, name.~1~, name.~2~.
        suffixes = itertools.chain(("~",), (f".~{n}~" for n in itertools.count(1)))
        names = (target.with_name(target.name + suffix) for suffix in suffixes)
        backup = next(name for name in names if not os.path.lexists(name))
        _replace(backup, before, finish)
        try:
            _replace(target, after, finish)
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
    """The system's reason; a loop of symbolic links is a RuntimeError before Python 3.13."""
    return (getattr(error, "strerror", None) or str(error)).lower()
