"""The recipes of CONTRIBUTING, followed to the letter in a copy of the repository."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from corpora import cases
from test_guides import BASES, ROOT, SECTIONS, Section, paths_of

RECIPES: Final = cases(__file__, "recipes.toml", "recipe")
GUIDE: Final = "CONTRIBUTING.md"
_COPIED: Final = (
    *("src", "tests", "docs", "ansible", ".github"),
    *("README.md", "LICENSE", "pyproject.toml"),
)
_LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "recordings", ".*_cache")
_TIMEOUT_SECONDS: Final = 300
"""A safety net; no test depends on speed."""


class Copy:
    """A copy of the repository, in which Python finds the package."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "copy"
        for name in _COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.root / name, ignore=_LEFT_OUT)
            else:
                shutil.copy2(source, self.root)

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace a text that is there once, or add one at the end."""
        path = self.root / file
        text = path.read_text("utf-8")
        assert not old or text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
        path.write_text(text.replace(old, new) if old else text + new, "utf-8")

    def python(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run this Python on the copy."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(self.root / "src")},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )


def section_of(recipe: Mapping[str, Any]) -> Section:
    """The section of the guide that a recipe follows."""
    (section,) = [each for each in SECTIONS if each.title == f"{GUIDE}: {recipe['heading']}"]
    return section


def test_every_recipe_is_followed() -> None:
    """Each section of CONTRIBUTING that says how to add something is followed by a test."""
    headings = [each.title for each in SECTIONS if each.title.startswith(f"{GUIDE}: Add ")]
    assert headings == [f"{GUIDE}: {recipe['heading']}" for recipe in RECIPES]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe["heading"])
def test_a_recipe_names_all_that_it_takes(recipe: dict[str, Any]) -> None:
    """Whoever follows a recipe is told every file to write or edit, and every command and test."""
    section = section_of(recipe)
    named = {path for word in section.words for path in paths_of(word, BASES, section.folders)}
    edited = [ROOT / edit["file"] for edit in recipe.get("edits", ())]
    written = [ROOT / name for name in recipe.get("new", ()) if "/" in name]
    assert [] == [path for path in edited if not {path, path.parent} & named]
    assert [] == [path for path in written if path.parent not in section.folders]
    assert {*recipe.get("commands", ()), *recipe["tests"]} <= {*section.words}


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe["heading"])
def test_a_recipe_works(recipe: dict[str, Any], tmp_path: Path) -> None:
    """Whoever does what a recipe says, and nothing else, passes the tests that it names."""
    copy = Copy(tmp_path)
    for name, text in recipe.get("new", {}).items():
        (copy.root / name).write_text(text, "utf-8")
    for edit in recipe.get("edits", ()):
        copy.edit(edit["file"], edit["old"], edit["new"])

    for command in recipe.get("commands", ()):
        done = copy.python(*command.split()[1:])
        assert 0 == done.returncode, done.stdout + done.stderr
    for file, some in recipe["tests"].items():
        done = copy.python("-m", "pytest", "-q", "-n", "0", file, "-k", some)
        assert 0 == done.returncode, done.stdout + done.stderr
    done = copy.python("-m", "hashcost", *recipe["tries"], stdin=recipe.get("stdin", ""))
    assert recipe["shows"] in done.stdout, done.stdout + done.stderr
