"""Every path and pattern in what builds, lints, tests and packs matches something."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tools.mutation import SEEN_BY, UNFIT
from tools.mutation import settings as settings_of

ROOT: Final = Path(__file__).parents[1]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SCRIPTS: Final = sorted(
    path
    for folder in (".ci", ".github")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and path.suffix != ".md"
)
_PATH: Final = re.compile(
    r"(?<![\w./$*-])((?:src|tests|docs|ansible|hashcost|\.ci|\.github)/[\w./*-]*[\w*])"
)
"""A path from the repository or from the folder of the package."""


def matches(pattern: str) -> bool:
    """Whether a pattern from the repository, or from the folder of the package, matches."""
    return any(True for base in (ROOT, ROOT / "src") for _ in base.glob(pattern.strip("/")))


def settings() -> Iterator[tuple[str, str]]:
    """Every pattern of pyproject.toml, behind the key that has it."""
    tools = PROJECT["tool"]
    build = tools["hatch"]["build"]["targets"]
    lists = {
        "license-files": PROJECT["project"]["license-files"],
        "readme": [PROJECT["project"]["readme"]],
        "hatch.version": [tools["hatch"]["version"]["path"]],
        "hatch wheel": [*build["wheel"]["packages"], *build["wheel"]["shared-data"]],
        "hatch sdist": [*build["sdist"]["include"], *build["sdist"]["exclude"]],
        "mypy": tools["mypy"]["files"],
        "ruff": [
            *(*tools["ruff"]["src"], *tools["ruff"]["extend-exclude"]),
            *tools["ruff"]["per-file-target-version"],
            *tools["ruff"]["lint"]["per-file-ignores"],
        ],
        "pytest": [
            *tools["pytest"]["ini_options"]["testpaths"],
            *tools["pytest"]["ini_options"]["pythonpath"],
        ],
        "mutmut": [
            *tools["mutmut"]["source_paths"],
            *tools["mutmut"]["also_copy"],
            *(path for paths in SEEN_BY.values() for path in paths),
            *(test.partition("::")[0] for test in UNFIT),
        ],
    }
    return ((key, pattern) for key, patterns in lists.items() for pattern in patterns)


@pytest.mark.parametrize(("key", "pattern"), [*settings()])
def test_a_pattern_of_the_project_matches(key: str, pattern: str) -> None:
    """Nothing is packed, linted, typed, tested or mutated by a name that is gone."""
    assert matches(pattern), f"{key} in pyproject.toml"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_path_in_a_script_or_a_workflow_matches(path: Path) -> None:
    """No script and no workflow names a file or a folder that is gone."""
    assert [] == [named for named in _PATH.findall(path.read_text("utf-8")) if not matches(named)]


def test_most_scripts_and_workflows_name_paths() -> None:
    """The paths are found: a search that finds none would prove nothing."""
    naming = [path for path in SCRIPTS if _PATH.search(path.read_text("utf-8"))]
    assert len(naming) > 8


def test_faults_are_put_into_every_room() -> None:
    """Each room has tests that see its faults, and each run mutates the modules of its room."""
    rooms = tomllib.loads((ROOT / "tests" / "architecture.toml").read_text("utf-8"))["rooms"]
    mutated = {room: tomllib.loads(settings_of(room))["tool"]["mutmut"] for room in SEEN_BY}

    assert sorted(rooms) == sorted(SEEN_BY)
    assert [] == [
        room
        for room, mutmut in mutated.items()
        if not [*ROOT.glob(f"{mutmut['only_mutate'][0]}.py")]
        or mutmut["pytest_add_cli_args_test_selection"] != SEEN_BY[room]
    ]


def test_coverage_is_of_rooms_with_modules() -> None:
    """Each pattern of the rooms that decide has modules."""
    text = (ROOT / ".ci" / "coverage").read_text("utf-8")
    included = re.findall(r"--include='([^']*)'", text)[0].split(",")
    assert [] == [name for name in included if not [*(ROOT / "src").glob(f"{name}.py")]]


@pytest.mark.parametrize(
    "pattern", ["tests/nothing", "src/hashcost/nothing/*", "hashcost/no.toml"]
)
def test_a_pattern_without_a_match_is_seen(pattern: str) -> None:
    """A folder that was renamed, or a file that is gone, is missed."""
    assert _PATH.findall(f"x='{pattern}'") == [pattern]
    assert not matches(pattern)
