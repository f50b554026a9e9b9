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
CARELESS: Final = {
    "drift@missing": GOOD.replace("    drift: float = 0.02\n", ""),
    "version@missing": GOOD.replace('    version: str = "1.2.3"\n', ""),
    "knobs@missing": GOOD.replace("    knobs: tuple =", "    no_knobs: tuple ="),
    "answers@missing": GOOD.replace("(\n        KnownAnswer(", "() and (\n        KnownAnswer("),
    "licence@missing": 'import sys\n\nsys.exit("the engine is not licensed here")\n',
}
"""Hashers that load, or leave, but are not what the interface asks for."""

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


@pytest.fixture(name="careless_site", scope="module")
def _careless_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Installed packages whose authors forgot something."""
    folder = tmp_path_factory.mktemp("careless")
    wheels = []
    for label, source in CARELESS.items():
        name, _, implementation = label.partition("@")
        own = source.replace("sha3-stretch", name).replace('"example"', f'"{implementation}"')
        module = f"careless_{name}"
        wheels.append(wheel(folder, module, label, f"{module}:Sha3Stretch", own))
    return install(folder, *wheels)


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
    expected = (0, "")
    assert expected == (done.returncode, done.stderr)
    return {f"{row['hasher']}@{row['implementation']}": row for row in json.loads(done.stdout)}


def test_an_installed_hasher_is_listed(site: Path) -> None:
    """A hasher of another package is listed with its version and knob, but is no default."""
    expected = {
        "hasher": "sha3-stretch",
        "implementation": "example",
        "version": "1.2.3",
        "available": True,
        "reason": None,
        "default": False,
        "knobs": [
            {
                "name": "iterations",
                "scale": "linear",
                "minimum": 1,
                "maximum": 2147483647,
                "steps": [],
            }
        ],
    }

    assert expected == listing(site)["sha3-stretch@example"]


def test_an_installed_hasher_is_timed(site: Path) -> None:
    """A hasher of another package is solved for a target as the built-in ones are."""
    done = calibrate("sha3-stretch", "--target", "5ms", "--format", "json", site=site)

    # 3 is for a machine too busy to tell; the row is there all the same.
    assert done.returncode in {0, 3}, done.stderr
    (row,) = json.loads(done.stdout)["results"]
    expected = ("sha3-stretch", "example", "1.2.3", "measured", ["iterations"])
    assert expected == (
        row["hasher"],
        row["implementation"],
        row["implementation_version"],
        row["status"],
        list(row["params"]),
    )
    assert row["params"]["iterations"] > 1
    (measurement,) = json.loads(done.stdout)["measurements"]
    assert measurement["samples"]


def test_a_package_that_raises_takes_away_its_own_row_alone(site: Path) -> None:
    """The hashers that there are without the packages are the same with them, in order."""
    without, within = listing(None), listing(site)
    added = {"rot13@broken", "sha3-stretch@example", "sha3-wrong@example"}

    assert without == {label: row for label, row in within.items() if label not in added}
    assert [*without, *sorted(added)] == list(within)


@pytest.mark.parametrize(
    ("label", "code", "error"),
    [
        (
            "rot13@broken",
            "unavailable",
            "does not load: the engine is not licensed here",
        ),
        (
            "sha3-wrong@example",
            "wrong-answer",
            "computed a wrong hash for a known answer (NIST, SHA3-256 of abc)",
        ),
    ],
)
def test_a_hasher_that_does_not_work_is_not_timed(
    site: Path, label: str, code: str, error: str
) -> None:
    """A hasher that does not load, or computes a wrong hash, ends the command with 4, untimed."""
    done = calibrate(label, "--target", "5ms", "--format", "json", site=site)

    hasher, _, implementation = label.partition("@")
    expected = {
        "status": "failed",
        "hasher": hasher,
        "implementation": implementation,
        "code": code,
        "error": error,
    }
    assert (4, [expected]) == (done.returncode, json.loads(done.stdout)["results"])


@pytest.mark.parametrize(
    "label",
    [
        "drift@missing",
        "version@missing",
        "knobs@missing",
        "answers@missing",
        "licence@missing",
    ],
)
def test_a_careless_package_takes_away_its_own_row_alone(careless_site: Path, label: str) -> None:
    """A hasher that lacks something fails alone and the others are timed."""
    options = ("--target", "5ms", "--effort", "fast", "--format", "json")
    done = calibrate("pbkdf2-sha256@hashlib", label, *options, site=careless_site)

    assert done.returncode == 4, done.stderr
    expected = ["measured", "failed"]
    assert expected == [row["status"] for row in json.loads(done.stdout)["results"]]
