"""The files that git tracks, as the index of a working tree lists them.

git itself is not run: the configuration of a checkout may name a program that it starts.
"""

import contextlib
import os
import struct
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from hashcost.core.errors import UnreadError
from hashcost.storage.files import LARGEST_FILE
from hashcost.storage.gate import Gate

# gitformat-index(5); the tests compare it with what git lists.
_HEADER: Final = struct.Struct(">4sLL")
_SIGNATURE: Final = b"DIRC"
_VERSIONS: Final = (2, 3, 4)
_FLAGS: Final = struct.Struct(">H")
_EXTENSION: Final = struct.Struct(">4sL")
_FACTS: Final = 40  # bytes: times, device, inode, mode, owner, size
_SHA1: Final = 20
_SHA256: Final = 32
_MORE_FLAGS: Final = 0x4000
_ALIGNED: Final = 8
_LINK: Final = b"gitdir:"


class Index:
    """The index of a working tree; it is read when the first path is asked for.

    One that cannot be read lists nothing.
    """

    def __init__(self, top: Path, gate: Gate) -> None:
        self._top = top
        self._gate = gate

    def lists(self, path: Path, *, is_folder: bool) -> bool:
        """Tell whether it lists a file, or anything below a folder."""
        inside = os.fsencode(Path(os.path.abspath(path)).relative_to(self._top))  # noqa: PTH100
        at = bisect_left(self._paths, inside)
        if at < len(self._paths) and self._paths[at] == inside:
            return True  # A folder may be a repository of its own.
        if not is_folder:
            return False
        below = inside + b"/"
        at = bisect_left(self._paths, below)
        return at < len(self._paths) and self._paths[at].startswith(below)

    @cached_property
    def _paths(self) -> list[bytes]:
        """The paths of the index, which git sorts."""
        try:
            index = _folder_of(self._top, self._gate) / "index"
            content = self._gate.read(index)
            with self._gate.reading(index):
                return _paths_of(content)
        except UnreadError:
            return []


def around(folder: Path, gate: Gate) -> Index | None:
    """Find the index of the working tree that a folder belongs to."""
    whole = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links
    for top in (whole, *whole.parents):
        with contextlib.suppress(OSError):  # A folder above may be closed to the user.
            if Path(top, ".git").exists():
                return Index(top, gate)
    return None


def _folder_of(top: Path, gate: Gate) -> Path:
    """Find the folder in which git keeps the index.

    Raises:
        UnreadError: a file that names it cannot be read.
    """
    git = top / ".git"
    if git.is_dir():
        return git
    # A submodule, or one of several working trees, has a file that names the folder.
    named = gate.read(git).removeprefix(_LINK).strip()
    return Path(top, os.fsdecode(named))


def _paths_of(index: bytes) -> list[bytes]:
    """List the paths of an index; none if it is not one."""
    # It does not say which digest the repository uses: only with the right one it ends well.
    for digest in (_SHA1, _SHA256):
        with contextlib.suppress(ValueError, struct.error):
            return list(_paths_in(index, digest))
    return []


def _paths_in(index: bytes, digest: int) -> Iterator[bytes]:
    """List the paths of an index with digests of so many bytes.

    A part of it that is shared, in a file of its own, is not read.

    Raises:
        ValueError: it is not an index in a version that is known, or lists very long paths.
        struct.error: it ends too early.
    """
    signature, version, count = _HEADER.unpack_from(index)
    if signature != _SIGNATURE or version not in _VERSIONS:
        raise ValueError(version)
    start = _HEADER.size
    path = b""
    total = 0
    for _ in range(count):
        flags_at = start + _FACTS + digest
        (flags,) = _FLAGS.unpack_from(index, flags_at)
        begins = flags_at + _FLAGS.size
        if flags & _MORE_FLAGS:
            begins += _FLAGS.size
        kept = b""
        if version == _VERSIONS[-1]:
            dropped, begins = _number_at(index, begins)
            kept = path[: max(0, len(path) - dropped)]
        ends = index.index(b"\0", begins)
        path = kept + index[begins:ends]
        if version == _VERSIONS[-1]:
            start = ends + 1
        else:
            # At least one zero byte follows, and the next entry begins at a multiple of eight.
            start += ((ends - start) // _ALIGNED + 1) * _ALIGNED
        # Paths that share their beginnings may take far more memory than the file.
        total += len(path)
        if total > LARGEST_FILE:
            raise ValueError(total)
        yield path
    # Extensions follow, and the digest of the whole.
    while start < len(index) - digest:
        _, size = _EXTENSION.unpack_from(index, start)
        start += _EXTENSION.size + size
    if start != len(index) - digest:
        raise ValueError(start)


def _number_at(index: bytes, at: int) -> tuple[int, int]:
    """Read a number of as many bytes as it needs, and tell where it ends.

    Raises:
        ValueError: the index ends within it, or it is longer than any path.
    """
    number = 0
    for place, byte in enumerate(index[at : at + 4], start=at + 1):
        number = (number << 7) | (byte & 0x7F)
        if not byte & 0x80:  # Its highest bit says that another byte follows.
            return number, place
        number += 1
    raise ValueError(number)
