"""The system's crypt library: which one it is, and calls that do not disturb each other."""

import ctypes
import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Final
from unittest.mock import Mock

import pytest

from corpora import cases
from hashcost.core.errors import UnavailableError, WrongAnswerError
from hashcost.core.measurement import Params
from hashcost.hashers import libcrypt, scrypt, yescrypt
from hashcost.hashers.bcrypt import by_libcrypt
from hashcost.hashers.interface import check_output
from hashcost.hashers.libcrypt import LibCrypt
from hashcost.hashers.sha2_crypt import sha512_libcrypt

MAPS: Final = cases(__file__, "libcrypt.toml", "maps")


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


def test_a_version_is_the_digest_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library goes by its file's name and digest, so that two builds are told apart."""
    library = tmp_path / "a folder with spaces" / "libcrypt.so.9.1"
    library.parent.mkdir()
    load_from(monkeypatch, tmp_path, library)
    for build in (b"one build", b"another build"):
        library.write_bytes(build)
        assert f"so.9.1 {hashlib.sha256(build).hexdigest()[:8]}" == libcrypt._version()


@pytest.mark.parametrize("name", ["libcrypt.so.9.1", "ld-musl-x86_64.so.1"])
def test_a_version_is_that_of_the_systems_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Where the package manager tells which package a library came in, its version is shown;
    musl's libc has the function itself.
    """
    library = tmp_path / name
    load_from(monkeypatch, tmp_path, library)
    library.write_bytes(b"a build")
    monkeypatch.setattr(libcrypt, "package_version", lambda file, _: f"{file == library} 4.4")
    assert "True 4.4" == libcrypt._version()


def test_a_version_may_be_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without maps, or with a file that was replaced since, the version is unknown."""
    load_from(monkeypatch, tmp_path, tmp_path / "libcrypt.so.9.1 (deleted)")
    assert "unknown version" == libcrypt._version()
    monkeypatch.setattr(libcrypt, "_MAPS", tmp_path / "no maps")
    assert "unknown version" == libcrypt._version()


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


@pytest.mark.usefixtures("unloaded")
def test_a_hasher_without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without crypt_r, the hashers that need it say what to install, and the rest run."""
    provide(monkeypatch, **{"libcrypt.so.1": SimpleNamespace()})

    for factory in (sha512_libcrypt, by_libcrypt, scrypt.by_libcrypt, yescrypt.by_libcrypt):
        with pytest.raises(UnavailableError, match="apt-get install libcrypt1"):
            factory()


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize("name", ["libcrypt.so.1", "libcrypt.so.2", None])
def test_the_first_library_that_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    """Any of the three will do, and the search ends with it; musl accepts fewer rounds."""
    crypt_r = Mock(return_value=b"a hash")
    tried = provide(monkeypatch, **{str(name): SimpleNamespace(crypt_r=crypt_r)})

    library = libcrypt.load()

    assert b"a hash" == library.caller(b"secret", b"setting")()
    order = ["libcrypt.so.1", "libcrypt.so.2", None]
    assert order[: order.index(name) + 1] == tried
    assert (name is None) == library.is_musl
    (knob,) = sha512_libcrypt().knobs
    assert (9_999_999 if name is None else 999_999_999) == knob.maximum


def test_two_threads_at_once(library: LibCrypt) -> None:
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


@pytest.mark.parametrize("params", [{"rounds": 1}, {"rounds": 999}])
def test_rounds_below_the_range_are_never_taken_for_a_hash(
    library: LibCrypt, params: Params
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
