"""The system's crypt library: which one it is, and calls that do not disturb each other."""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Final
from unittest.mock import Mock

import pytest

from hashcost.core.errors import UnavailableError, WrongAnswerError
from hashcost.core.measurement import Params
from hashcost.hashers import libcrypt, scrypt, yescrypt
from hashcost.hashers.bcrypt import by_libcrypt
from hashcost.hashers.interface import check_output
from hashcost.hashers.libcrypt import LibCrypt
from hashcost.hashers.sha2_crypt import sha512_libcrypt

FILE: Final = "libcrypt.so.1.1.0"

STATUS: Final = """\
Package: libcrypt-dev
Status: install ok installed
Version: 1:9.9.9-9

Package: libcrypt1
Status: install ok installed
Multi-Arch: same
Source: libxcrypt
Version: 1:4.4.33-2
Description: libcrypt shared library
 Version: of nothing

Package: libcrypt1-dbg
Version: 1:8.8.8-8
"""

MAPS: Final = """\
55d0c8a00000-55d0c8a01000 r--p 00000000 fe:00 1234                       /usr/bin/python3.11
7f0000000000-7f0000001000 rw-p 00000000 00:00 0
7f1000000000-7f1000001000 r--p 00000000 fe:00 11     /usr/lib/x86_64-linux-gnu/libcrypto.so.3
7f2000000000-7f2000001000 r--p 00000000 fe:00 12     {path}
7f2000001000-7f2000002000 r-xp 00001000 fe:00 12     {path}
7fff00000000-7fff00001000 rw-p 00000000 00:00 0                          [stack]
"""


@pytest.fixture(name="library")
def _library() -> LibCrypt:
    """The library of this system."""
    try:
        return libcrypt.load()
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture(name="unloaded")
def _unloaded() -> Iterator[None]:
    """Have the library loaded anew in a test, and again after it."""
    libcrypt.load.cache_clear()
    yield
    libcrypt.load.cache_clear()


@pytest.fixture(name="debian")
def _debian(tmp_path: Path) -> Path:
    """A made-up Debian with ``status``, ``info`` and the library's file."""
    (tmp_path / "info").mkdir()
    (tmp_path / "status").write_text(STATUS)
    (tmp_path / "usr/lib").mkdir(parents=True)
    (tmp_path / "usr/lib" / FILE).write_bytes(b"Debian's libcrypt")
    (tmp_path / "lib").symlink_to("usr/lib")
    own(tmp_path, tmp_path / "usr/lib" / FILE)
    return tmp_path


def own(root: Path, *files: Path) -> None:
    """Let the package own these files."""
    lines = "".join(f"{line}\n" for line in ("/.", root, *files))
    (root / "info/libcrypt1:amd64.list").write_text(lines)


def debian_version(root: Path, library: Path | None) -> str | None:
    """The version as the made-up Debian tells it."""
    return libcrypt._debian_version(root / "status", root / "info", library)


class TestDebianVersion:
    """The version of the package that owns the library."""

    def test_the_package_that_owns_the_file(self, debian: Path) -> None:
        """The version is that of libcrypt1, without the epoch."""
        expected = "4.4.33-2"
        assert expected == debian_version(debian, debian / "usr/lib" / FILE)

    def test_a_merged_usr(self, debian: Path) -> None:
        """The package may list /lib where the library was loaded from /usr/lib."""
        own(debian, debian / "lib" / FILE)

        expected = "4.4.33-2"
        assert expected == debian_version(debian, debian / "usr/lib" / FILE)

    @pytest.mark.parametrize("position", ["first", "last"])
    def test_anywhere_in_the_status(self, debian: Path, position: str) -> None:
        """The package may be the first or the last that is installed."""
        paragraphs = STATUS.split("\n\n")
        paragraphs.insert(0 if position == "first" else 2, paragraphs.pop(1))
        (debian / "status").write_text("\n\n".join(paragraphs).rstrip() + "\n")

        expected = "4.4.33-2"
        assert expected == debian_version(debian, debian / "usr/lib" / FILE)

    def test_a_package_with_another_file(self, debian: Path) -> None:
        """A library that the package does not own has not the package's version."""
        other = debian / "usr/lib/libcrypt.so.2.0.0"
        other.write_bytes(b"another libcrypt")

        assert debian_version(debian, other) is None

    def test_another_file_of_the_same_name(self, debian: Path) -> None:
        """A library elsewhere never goes by the version of Debian's, whatever its name."""
        other = debian / "opt" / FILE
        other.parent.mkdir()
        other.write_bytes(b"another libcrypt")

        assert debian_version(debian, other) is None

    def test_no_such_package(self, debian: Path) -> None:
        """Without the package there is no version to tell."""
        (debian / "status").write_text("Package: libcrypt-dev\nVersion: 1:9.9.9-9\n")

        assert debian_version(debian, debian / "usr/lib" / FILE) is None

    def test_a_package_without_a_version(self, debian: Path) -> None:
        """A later package's version is not taken for this one's."""
        (debian / "status").write_text(
            "Package: libcrypt1\nStatus: deinstall ok config-files\n\nPackage: other\nVersion: 1\n"
        )

        assert debian_version(debian, debian / "usr/lib" / FILE) is None

    def test_no_debian(self, tmp_path: Path) -> None:
        """Elsewhere than on Debian there is no version to tell."""
        assert debian_version(tmp_path, tmp_path / FILE) is None

    def test_no_status(self, debian: Path) -> None:
        """A Debian without its status file, as in a small container, tells no version."""
        (debian / "status").unlink()

        assert debian_version(debian, debian / "usr/lib" / FILE) is None

    def test_an_unreadable_list(self, debian: Path) -> None:
        """A list that is no text is passed over."""
        (debian / "info/libcrypt1:amd64.list").write_bytes(b"\xff\xfe")

        assert debian_version(debian, debian / "usr/lib" / FILE) is None

    def test_no_known_file(self, debian: Path) -> None:
        """Where the loaded file is not known, no package owns it."""
        assert debian_version(debian, None) is None


class TestVersion:
    """What identifies the library."""

    @pytest.mark.parametrize("folder", ["lib", "a folder with spaces"])
    def test_the_mapped_file_is_found(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
    ) -> None:
        """The file is the one that this process has loaded, not libcrypto's."""
        library = tmp_path / folder / FILE
        load_from(monkeypatch, tmp_path, library)

        assert library == libcrypt._mapped_path()

    def test_a_file_of_no_package_is_told_by_its_digest(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A library that no package owns goes by its file's name and digest."""
        library = tmp_path / "libcrypt.so.9.1"
        library.write_bytes(b"one build")
        load_from(monkeypatch, tmp_path, library)

        assert f"so.9.1 {hashlib.sha256(b'one build').hexdigest()[:8]}" == libcrypt._version()

    def test_two_builds_are_told_apart(self, tmp_path: Path) -> None:
        """Two builds of one version never go by the same name."""
        library = tmp_path / FILE
        library.write_bytes(b"one build")
        one = libcrypt._file_identity(library)
        library.write_bytes(b"another build")

        assert one != libcrypt._file_identity(library)

    def test_a_file_that_is_gone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A library whose file was replaced since it was loaded has an unknown version."""
        load_from(monkeypatch, tmp_path, tmp_path / "libcrypt.so.9.1 (deleted)")

        expected = "unknown version"
        assert expected == libcrypt._version()

    def test_a_system_without_maps(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where the kernel does not tell what is loaded, the version is unknown."""
        monkeypatch.setattr(libcrypt, "_MAPS", tmp_path / "no maps")

        expected = "unknown version"
        assert expected == libcrypt._version()

    def test_the_package_manager_agrees(self, library: LibCrypt) -> None:
        """The version is what dpkg itself says, where dpkg installed the library."""
        dpkg = shutil.which("dpkg-query")
        mapped = libcrypt._mapped_path()
        if dpkg is None or mapped is None or not mapped.is_relative_to("/usr/lib"):
            pytest.skip("the library was not installed by dpkg")
        done = subprocess.run(
            [dpkg, "--show", "--showformat=${Version}\n", "libcrypt1"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            pytest.skip("dpkg knows no libcrypt1")

        assert done.stdout.splitlines()[0].rpartition(":")[2] == library.version


@pytest.mark.usefixtures("unloaded")
class TestLoad:
    """Where the library is looked for."""

    def test_no_library(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without any library, the message says what to install."""
        self.provide(monkeypatch)

        with pytest.raises(UnavailableError) as caught:
            libcrypt.load()

        expected = "found no libcrypt with crypt_r here; on Debian: apt-get install libcrypt1"
        assert expected == str(caught.value)

    def test_a_hasher_without_library(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without the library, the hashers that need it are unavailable and the rest is not."""
        self.provide(monkeypatch)

        for factory in (
            sha512_libcrypt,
            by_libcrypt,
            scrypt.by_libcrypt,
            yescrypt.by_libcrypt,
        ):
            with pytest.raises(UnavailableError, match="apt-get install libcrypt1"):
                factory()

    def test_a_library_without_crypt_r(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A library without crypt_r is not used."""
        self.provide(monkeypatch, **{"libcrypt.so.1": SimpleNamespace()})

        with pytest.raises(UnavailableError):
            libcrypt.load()

    def test_the_order_of_the_search(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The older library is looked for first, the program itself (musl) last."""
        tried = self.provide(monkeypatch)

        with pytest.raises(UnavailableError):
            libcrypt.load()

        expected = ["libcrypt.so.1", "libcrypt.so.2", None]
        assert expected == tried

    @pytest.mark.parametrize("name", ["libcrypt.so.1", "libcrypt.so.2", None])
    def test_the_first_that_is_found(
        self, monkeypatch: pytest.MonkeyPatch, name: str | None
    ) -> None:
        """Any of the three will do, and the search ends with it; musl accepts fewer rounds."""
        crypt_r = Mock(return_value=b"a hash")
        tried = self.provide(monkeypatch, **{str(name): SimpleNamespace(crypt_r=crypt_r)})

        library = libcrypt.load()

        expected = b"a hash"
        assert expected == library.caller(b"secret", b"setting")()
        assert name == tried[-1]
        assert (9_999_999 if name is None else 999_999_999) == library.most_rounds

    def test_a_library_that_is_loaded_stays(self, library: LibCrypt) -> None:
        """The library is loaded once, so that all hashers tell the same version."""
        assert library is libcrypt.load()

    @staticmethod
    def provide(monkeypatch: pytest.MonkeyPatch, **libraries: SimpleNamespace) -> list[str | None]:
        """Make these the only libraries there are; return which were tried."""
        tried: list[str | None] = []

        def cdll(name: str | None) -> SimpleNamespace:
            tried.append(name)
            if str(name) not in libraries:
                raise OSError(f"{name}: cannot open shared object file")
            return libraries[str(name)]

        monkeypatch.setattr(ctypes, "CDLL", cdll)
        return tried


class TestHashing:
    """What the library computes."""

    def test_two_threads_at_once(self, library: LibCrypt) -> None:
        """Two threads that hash at the same time both get the right hashes."""
        settings = [b"$6$rounds=1000$abcdefghIJKLMOPQ$", b"$6$rounds=1000$QPOMLKJIhgfedcba$"]
        alone = [library.caller(b"secret", setting)() for setting in settings]
        start = Barrier(len(settings))

        def hash_often(setting: bytes) -> set[bytes | None]:
            call = library.caller(b"secret", setting)
            start.wait()
            return {call() for _ in range(300)}

        with ThreadPoolExecutor(len(settings)) as pool:
            together = list(pool.map(hash_often, settings))

        assert alone[0] != alone[1]
        assert [{output} for output in alone] == together

    def test_prepared_calls_do_not_disturb_each_other(self, library: LibCrypt) -> None:
        """Calls that were prepared before any of them ran give their own hashes, in any order."""
        settings = [b"$6$rounds=1000$one$", b"$5$rounds=1000$two$", b"$2b$04$" + b"." * 22]
        alone = [library.caller(b"secret", setting)() for setting in settings]
        calls = [library.caller(b"secret", setting) for setting in settings]

        assert alone[::-1] == [call() for call in reversed(calls)]

    @pytest.mark.parametrize("setting", [b"$6$rounds=1$abcdefghIJKLMOPQ$", b"$2b$03$" + b"." * 22])
    def test_a_cost_below_the_range_gives_the_failure_token(
        self, library: LibCrypt, setting: bytes
    ) -> None:
        """A cost below the range is refused by libxcrypt 4.4 with its failure token."""
        if not library.version.startswith("4.4."):
            pytest.skip(f"the library here is {library.version}, not known to be libxcrypt 4.4")

        expected = b"*0"
        assert expected == library.caller(b"secret", setting)()

    @pytest.mark.parametrize("params", [{"rounds": 1}, {"rounds": 999}])
    def test_rounds_below_the_range_are_never_taken_for_a_hash(
        self, library: LibCrypt, params: Params
    ) -> None:
        """Rounds that a library refuses, or raises to its least, are a wrong answer."""
        call = sha512_libcrypt().ready(b"secret", b"abcdefghIJKLMOPQ", params)

        with pytest.raises(WrongAnswerError):
            check_output(call, call.run(), where="here")


def load_from(monkeypatch: pytest.MonkeyPatch, root: Path, library: Path) -> None:
    """Make the kernel say that this file is loaded."""
    maps = root / "maps"
    maps.write_text(MAPS.format(path=library))
    monkeypatch.setattr(libcrypt, "_MAPS", maps)
