"""The version of the package that a file came in, from databases as each manager writes them."""

import base64
import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from hashcost.machine.system_package import package_version

LIBRARY: Final = b"\x7fELF, one build"
MD5: Final = hashlib.md5(LIBRARY, usedforsecurity=False).hexdigest()
SHA1: Final = base64.b64encode(hashlib.sha1(LIBRARY, usedforsecurity=False).digest()).decode()
SHA256: Final = hashlib.sha256(LIBRARY).hexdigest()


def dpkg(root: Path, version: str) -> None:
    """Debian's database."""
    info = root / "var/lib/dpkg/info"
    info.mkdir(parents=True)
    other = "00000000000000000000000000000000  usr/lib/libgcrypt.so.20\n"
    (info / "libgcrypt20:amd64.md5sums").write_text(other)
    (info / "libcrypt1:amd64.md5sums").write_text(f"{MD5}  lib/x/libcrypt.so.1.1.0\n")
    (info.parent / "status").write_text(
        "Package: libcrypt-dev\nStatus: install ok installed\nVersion: 9\n\n"
        f"Package: libcrypt1\nArchitecture: amd64\nVersion: 1:{version}\nDepends: libc6\n\n"
        "Package: libcrypt2\nVersion: 8\n"
    )


def apk(root: Path, version: str) -> None:
    """Alpine's database."""
    folder = root / "lib/apk/db"
    folder.mkdir(parents=True)
    (folder / "installed").write_text(
        "C:Q1x=\nP:busybox\nV:1.36\nF:bin\nR:busybox\nZ:Q1AAAA=\n\n"
        f"C:Q1y=\nP:musl\nV:{version}\nF:lib\nR:ld-musl-x86_64.so.1\na:0:0:755\nZ:Q1{SHA1}\n"
    )


def pacman(root: Path, version: str) -> None:
    """Arch's database."""
    for name, digest in (("libxcrypt", SHA256), ("libxcrypt-compat", "0" * 64)):
        folder = root / f"var/lib/pacman/local/{name}-{version}"
        folder.mkdir(parents=True)
        mtree = f"#mtree\n./usr/lib/libcrypt.so.2.0.0 size=14 sha256digest={digest}\n"
        (folder / "mtree").write_bytes(gzip.compress(mtree.encode()))
        (folder / "desc").write_text(f"%NAME%\n{name}\n\n%VERSION%\n{version}\n\n%ARCH%\nx86_64\n")


def rpm(root: Path, version: str) -> None:
    """Fedora's program."""
    program = root / "usr/bin/rpm"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\n[ "$1 $2 $4" = "-qf --queryformat {root}/libcrypt.so.2" ] || exit 1\n'
        f"echo {version}; echo; echo {SHA256}\n"
    )
    program.chmod(0o755)


MANAGERS: Final = [
    (dpkg, "4.4.33-2"),
    (apk, "1.2.5-r0"),
    (pacman, "4.4.38-1"),
    (rpm, "4.4.36-7.fc40"),
]


@pytest.mark.parametrize(("install", "version"), MANAGERS)
def test_the_package_of_a_file_tells_its_version(
    tmp_path: Path, install: Callable[[Path, str], None], version: str
) -> None:
    """The version is that of the package that holds the file, without the epoch; a file that
    was replaced, or is in no package, has none.
    """
    file = tmp_path / "libcrypt.so.2"
    file.write_bytes(LIBRARY)
    assert None is package_version(file, "lib*crypt*", tmp_path)
    install(tmp_path, version)
    assert version == package_version(file, "lib*crypt*", tmp_path)
    file.write_bytes(b"\x7fELF, another build")
    assert None is package_version(file, "lib*crypt*", tmp_path)


@pytest.mark.parametrize(("install", "_version"), MANAGERS)
@pytest.mark.parametrize("damage", [b"", b"\xff\x00", b"\x1f\x8b damaged"])
def test_a_damaged_database_tells_nothing(
    tmp_path: Path, install: Callable[[Path, str], None], _version: str, damage: bytes
) -> None:
    """Whatever the files of a database hold, the version is unknown and nothing is raised."""
    file = tmp_path / "libcrypt.so.2"
    file.write_bytes(LIBRARY)
    install(tmp_path, "1")
    for path in tmp_path.rglob("*"):
        if path.is_file() and path != file:
            path.write_bytes(damage)
    assert None is package_version(file, "lib*crypt*", tmp_path)


def test_a_program_that_fails_tells_nothing(tmp_path: Path) -> None:
    """Where rpm prints nothing, or is not there, the version is unknown."""
    file = tmp_path / "libcrypt.so.2"
    file.write_bytes(LIBRARY)
    rpm(tmp_path, "1")
    (tmp_path / "usr/bin/rpm").write_text("#!/bin/sh\nexit 0\n")
    assert None is package_version(file, "lib*crypt*", tmp_path)
    assert None is package_version(tmp_path / "absent", "lib*crypt*", tmp_path)
