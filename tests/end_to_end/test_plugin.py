"""A hasher that another installed package adds, through the command that users run."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from end_to_end.command import calibrate_installed

GOOD: Final = Path(__file__).with_name("programs").joinpath("plug_in.py.txt").read_text("utf-8")
BROKEN: Final = 'raise RuntimeError("the engine is not licensed here")\n'
WRONG: Final = GOOD.replace("3a985da7", "00000000").replace("sha3-stretch", "sha3-wrong")
HASHERS: Final = {
    "sha3-stretch@example": ("good_hasher", GOOD),
    "rot13@broken": ("broken_hasher", BROKEN),
    "sha3-wrong@example": ("wrong_hasher", WRONG),
}


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed package with three hashers: good, broken, and computing a wrong hash."""
    site = tmp_path_factory.mktemp("site")
    info = site / "example-1.2.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: example\nVersion: 1.2.3\n")
    lines = [f"{label} = {module}:Sha3Stretch\n" for label, (module, _) in HASHERS.items()]
    (info / "entry_points.txt").write_text("".join(["[hashcost.hashers]\n", *lines]))
    for module, source in HASHERS.values():
        (site / f"{module}.py").write_text(source)
    return site


def listing(site: Path | None) -> dict[str, dict[str, Any]]:
    """What ``calibrate list hashers`` says of each hasher."""
    ended = calibrate_installed("list", "hashers", "--format", "json", libraries=site)
    assert (0, "") == (ended.code, ended.err)
    return {f"{row['hasher']}@{row['implementation']}": row for row in json.loads(ended.out)}


def test_an_installed_hasher_is_listed(site: Path) -> None:
    """A hasher of another package is listed after the others with its version and knob; a
    package that raises takes away only its own row.
    """
    without, within = listing(None), listing(site)
    good = within["sha3-stretch@example"]

    assert ("1.2.3", True, False) == (good["version"], good["available"], good["default"])
    assert ["iterations"] == [knob["name"] for knob in good["knobs"]]
    assert [*without, *sorted(HASHERS)] == list(within)
    assert without == {label: row for label, row in within.items() if label not in HASHERS}


def test_an_installed_hasher_is_timed(site: Path) -> None:
    """A hasher of another package is solved for a target as the built-in ones are; one that does
    not load, or computes a wrong hash, is not timed and ends the command with 4.
    """
    options = ("--target", "5ms", "--effort", "fast", "--format", "json")
    ended = calibrate_installed(*HASHERS, *options, libraries=site)
    profile = json.loads(ended.out)
    good, broken, wrong = profile["results"]

    assert 4 == ended.code
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
    ) == (wrong["code"], wrong["error"])
