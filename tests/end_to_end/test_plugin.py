"""A hasher that another installed package adds, through the command that users run."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest

pytestmark = pytest.mark.slow

GOOD: Final = '''\
"""SHA3-256 of the salt and the password, hashed again and again."""

import hashlib
import sys
from dataclasses import dataclass

from hashcost.hashers.interface import Knob, KnownAnswer, ReadyCall, Scale


@dataclass(frozen=True)
class Sha3Stretch:
    name: str = "sha3-stretch"
    implementation: str = "example"
    version: str = "1.2.3"
    drift: float = 0.02
    lowest = {"iterations": 1}
    knobs: tuple = (Knob(name="iterations", scale=Scale.LINEAR, minimum=1, maximum=2**31 - 1),)
    known_answers: tuple = (
        KnownAnswer(
            password=b"abc",
            salt=b"",
            params={"iterations": 1},
            output=bytes.fromhex(
                "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"
            ),
            source="NIST, SHA3-256 of abc",
        ),
    )

    def threads(self, params):
        return 1

    def memory_bytes(self, params):
        return 1024

    def ready(self, password, salt, params):
        def run():
            digest = salt + password
            for _ in range(params["iterations"]):
                digest = hashlib.sha3_256(digest).digest()
            return digest

        return ReadyCall(run=run, length=32)
'''
BROKEN: Final = 'raise RuntimeError("the engine is not licensed here")\n'
WRONG: Final = GOOD.replace("3a985da7", "00000000").replace("sha3-stretch", "sha3-wrong")
COMMAND: Final = Path(sysconfig.get_path("scripts"), "calibrate")


def wheel(folder: Path, distribution: str, label: str, factory: str, source: str) -> Path:
    """Build a package that registers one hasher."""
    module = factory.partition(":")[0]
    info = f"{distribution}-1.2.3.dist-info"
    files = {
        f"{module}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2.3\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[hashcost.hashers]\n{label} = {factory}\n",
    }
    record = "".join(f"{path},{_digest(text)},{len(text)}\n" for path, text in files.items())
    path = folder / f"{distribution}-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(name, text)
    return path


def install(folder: Path, *wheels: Path) -> Path:
    """Install packages into a folder that Python can find them in."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("this environment has no pip to install a package with")
    site = folder / "site"
    pip = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "install"]
    options = ["--quiet", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([*pip, *options, *map(str, wheels)], check=True)
    return site


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three installed packages, each with a hasher: good, broken, and computing a wrong hash."""
    folder = tmp_path_factory.mktemp("plugins")
    return install(
        folder,
        wheel(folder, "good_hasher", "sha3-stretch@example", "good_hasher:Sha3Stretch", GOOD),
        wheel(folder, "broken_hasher", "rot13@broken", "broken_hasher:factory", BROKEN),
        wheel(folder, "wrong_hasher", "sha3-wrong@example", "wrong_hasher:Sha3Stretch", WRONG),
    )


def calibrate(*arguments: str, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the installed command, with the packages in this folder or without."""
    environment = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
    if site is not None:
        environment["PYTHONPATH"] = str(site)
    return subprocess.run(
        [COMMAND, *arguments], env=environment, capture_output=True, text=True, check=False
    )


def listing(site: Path | None) -> dict[str, dict[str, Any]]:
    """What ``calibrate hashers`` says of each hasher."""
    done = calibrate("hashers", "--format", "json", site=site)
    assert (0, "") == (done.returncode, done.stderr)
    return {f"{row['hasher']}@{row['implementation']}": row for row in json.loads(done.stdout)}


def test_an_installed_hasher_is_listed(site: Path) -> None:
    """A hasher of another package is listed after the others with its version and knob; a
    package that raises takes away only its own row.
    """
    without, within = listing(None), listing(site)
    added = {"rot13@broken", "sha3-stretch@example", "sha3-wrong@example"}
    good = within["sha3-stretch@example"]

    assert ("1.2.3", True, False) == (good["version"], good["available"], good["default"])
    assert ["iterations"] == [knob["name"] for knob in good["knobs"]]
    assert [*without, *sorted(added)] == list(within)
    assert without == {label: row for label, row in within.items() if label not in added}


def test_an_installed_hasher_is_timed(site: Path) -> None:
    """A hasher of another package is solved for a target as the built-in ones are; one that does
    not load, or computes a wrong hash, is not timed and ends the command with 4.
    """
    labels = ("sha3-stretch@example", "rot13@broken", "sha3-wrong@example")
    options = ("--target", "5ms", "--effort", "fast", "--format", "json")
    done = calibrate(*labels, *options, site=site)
    profile = json.loads(done.stdout)
    good, broken, wrong = profile["results"]

    assert 4 == done.returncode
    assert ("measured", "1.2.3") == (good["status"], good["implementation_version"])
    assert good["params"]["iterations"] > 1
    assert ["sha3-stretch"] == [row["hasher"] for row in profile["measurements"]]
    assert ("unavailable", "does not load: the engine is not licensed here") == (
        broken["code"],
        broken["error"],
    )
    assert (
        "wrong-answer",
        "computed a wrong hash for a known answer (NIST, SHA3-256 of abc)",
    ) == (
        wrong["code"],
        wrong["error"],
    )
