"""What is generated is committed as it would be generated now."""

import shutil
import subprocess
from importlib import metadata
from typing import Final

import pytest

from tools.generated import files

OUT_OF_DATE: Final = "run `python -m tests.tools.generated --write`"
MAN: Final = sorted((files.DOCS / "man").glob("*.1"))


def test_generated_files_are_up_to_date() -> None:
    """No generated file differs from what click, the types and the data say, and none is left
    over.
    """
    assert [] == sorted(map(str, files.stale(shown=False))), OUT_OF_DATE


def test_pictures_fetch_nothing() -> None:
    """No screen names a font, or anything else, to fetch."""
    pictures = [path.read_text("utf-8") for path in (files.DOCS / "screens").glob("*.svg")]

    assert pictures
    assert [] == [text for text in pictures if "url(http" in text or "@font-face" in text]


def test_man_pages_are_installed() -> None:
    """The package that is installed has every man page where ``man`` looks for it."""
    installed = {path.name for path in metadata.files("hashcost") or () if "man1" in path.parts}

    assert {path.name for path in MAN} == installed, "install it again: pip install -e ."


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is absent")
def test_man_pages_are_without_a_mistake() -> None:
    """Formatted by groff with every warning on, no page has one."""
    ended = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-z", *MAN],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (0, "", "") == (ended.returncode, ended.stdout, ended.stderr)
