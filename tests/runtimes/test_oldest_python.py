"""The probe for Python runs in the oldest one that is here: applications keep theirs for years."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import check_known_answers
from hashcost.runtimes.hasher import RuntimeHasher
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.table import Location

OLDEST = (3, 6)


def pythons() -> dict[tuple[int, int], str]:
    """The interpreters in the path and of pyenv, by version."""
    of_pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    folders = [str(each) for each in of_pyenv.glob("3.*/bin")]
    path = os.pathsep.join([*folders, os.environ["PATH"]])
    versions = ((3, minor) for minor in range(OLDEST[1], sys.version_info.minor))
    found = {each: shutil.which(f"python3.{each[1]}", path=path) for each in versions}
    return {version: where for version, where in found.items() if where is not None}


def test_the_oldest_python_hashes_right() -> None:
    """Each of its hashers, with its version in the row; 3.6 is the oldest that is supported."""
    found = pythons()
    if not found:
        pytest.skip("no Python older than this one; get it with `pyenv install 3.6`")
    version, command = min(found.items())
    works, lacks = set(), set()
    with Runtimes(Location(command=command)) as elsewhere:
        for candidate in elsewhere.candidates("python"):
            try:
                hasher = candidate.load()
            except UnavailableError as error:
                lacks.add(str(error).partition(":")[0])
                continue
            check_known_answers(hasher)
            assert isinstance(hasher, RuntimeHasher)
            sample = hasher.timed(b"probe-pass12", b"abcdefghIJKLMOPQ", hasher.lowest)
            assert sample.cpu_seconds >= 0
            assert f", python {version[0]}.{version[1]}." in hasher.version
            works.add(candidate.hasher)
    assert {"pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512"} <= works
    assert lacks <= {"there is no libcrypt with crypt_r", "hashlib has no scrypt"}
