"""The version of the system's package that a file came in, as the package manager recorded it.

Every lookup is by the digest of the file, so that a file which replaced that of a package never
goes by the package's version.
"""

import gzip
import hashlib
import io
import itertools
import re
import subprocess
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hashcost.core.errors import UnreadableInputError
from hashcost.machine.environment import child_environment
from hashcost.storage.files import LARGEST_FILE, read_limited

_PATIENCE_SECONDS: Final = 5.0
"""rpm answers in milliseconds, but waits without end for a database that another locks."""
_RPM: Final = "usr/bin/rpm"
_EPOCH: Final = re.compile(r"\A\d+:")
# The history takes no version that is much longer (`hasher_key`).
_LONGEST: Final = 100


def package_version(file: Path, packages: str, root: Path = Path("/")) -> str | None:
    """The version of the installed package that holds exactly this file; `None` if none tells.

    ``packages`` is a pattern of the names that the package may have, such as ``libcrypt*``. The
    epoch, by which package managers only order versions, is left out.
    """
    try:
        content = read_limited(file)
    except UnreadableInputError:
        return None
    # A machine has one package manager; rpm, a program, is asked last.
    versions = itertools.chain(
        _by_dpkg(content, packages, root),
        _by_apk(content, root),
        _by_pacman(content, packages, root),
        _by_rpm(content, file, root),
    )
    for version in versions:
        plain = _EPOCH.sub("", version)
        if plain and plain.isprintable() and len(plain) <= _LONGEST:
            return plain
    return None


def _by_dpkg(content: bytes, packages: str, root: Path) -> Iterator[str]:
    """Debian and its kin: a list of MD5 sums a package, and the versions in one file."""
    digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
    folder = root / "var/lib/dpkg"
    for sums in sorted((folder / "info").glob(f"{packages}.md5sums")):
        if f"{digest}  " not in _text(sums):
            continue
        # On systems of several architectures, the file's name has one after a colon.
        name = sums.name.removesuffix(".md5sums").partition(":")[0]
        status = "\n" + _text(folder / "status")
        rest = status.partition(f"\nPackage: {name}\n")[2]
        paragraph = rest.partition("\n\n")[0]
        yield from _values(paragraph, "Version: ")


def _by_apk(content: bytes, root: Path) -> Iterator[str]:
    """Alpine: a paragraph a package, with the SHA-1 of each file."""
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    # Z: is the field of a digest, and Q1 stands for SHA-1 in base64.
    checksum = f"Z:Q1{b64encode(digest).decode()}"
    for folder in ("lib/apk/db", "usr/lib/apk/db"):
        installed = _text(root / folder / "installed")
        for paragraph in installed.split("\n\n"):
            if checksum in paragraph:
                yield from _values(paragraph, "V:")


def _by_pacman(content: bytes, packages: str, root: Path) -> Iterator[str]:
    """Arch: a folder a package, with a compressed list of digests."""
    digest = f"sha256digest={hashlib.sha256(content).hexdigest()}"
    for folder in sorted((root / "var/lib/pacman/local").glob(packages)):
        if digest in _text(folder / "mtree", is_compressed=True):
            rest = _text(folder / "desc").partition("%VERSION%\n")[2]
            yield rest.partition("\n")[0]


def _by_rpm(content: bytes, file: Path, root: Path) -> Iterator[str]:
    """Fedora, SUSE and their kin: the program tells, since the database has no plain form."""
    program = root / _RPM
    if not program.is_file():
        return
    form = r"%{VERSION}-%{RELEASE}\n[%{FILEDIGESTS}\n]"
    try:
        ended = subprocess.run(  # noqa: S603 (the system's own program)
            [str(program), "-qf", "--queryformat", form, str(file)],
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return
    words = ended.stdout.decode("utf-8", "replace").split()
    if hashlib.sha256(content).hexdigest() in words:
        yield words[0]


def _values(paragraph: str, key: str) -> Iterator[str]:
    """The values of the lines that begin with a key."""
    for line in paragraph.split("\n"):
        if line.startswith(key):
            yield line.removeprefix(key).strip()


def _text(path: Path, *, is_compressed: bool = False) -> str:
    """The text of a file; empty if it is absent or cannot be read."""
    try:
        content = read_limited(path)
        if is_compressed:
            # A small file may hold gigabytes of zeros.
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(LARGEST_FILE)
    except (UnreadableInputError, OSError, EOFError, zlib.error):
        return ""
    return content.decode("utf-8", "replace")
