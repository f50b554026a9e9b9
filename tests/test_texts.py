"""What every text says of getting this program, until its name is registered."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
_BY_NAME: Final = re.compile(
    r"\b(?:pip3?|pipx|uvx?|poetry|pdm)\b(?! inject| (?:tool )?(?:upgrade|uninstall))"
    r"[^\n`]*?(?<![\w./@>-])hashcost(?![\w/@-]|\.\w)"
    r"(?!(?:\[[\w,]+\])? @ git\+https:)"
)
"""An installer that is given the name, and not the end of a path or of an address, nor the
address to fetch it from, for which no index is asked."""


def _texts() -> list[Path]:
    """What readers and machines follow; tests say what must not be there."""
    places = [ROOT / "README.md", ROOT / ".pre-commit-hooks.yaml", ROOT / ".ci" / "run"]
    for folder in (".github", "docs", "src"):
        places += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    text = (".md", ".py", ".toml", ".yml", ".yaml", ".sh", ".html", ".js", ".css", "")
    return [path for path in places if path.suffix in text]


def test_no_text_installs_a_name_that_nobody_has_registered() -> None:
    """No message, page, job or script fetches hashcost from an index by its name."""
    named = {path: _BY_NAME.findall(path.read_text("utf-8")) for path in _texts()}

    assert len(named) > 200
    assert {} == {path: parts for path, parts in named.items() if parts}


def test_each_promise_names_tests_that_there_are() -> None:
    """Each row of SECURITY.md's table names test files, and each of them exists."""
    text = (ROOT / ".github" / "SECURITY.md").read_text("utf-8")
    rows = re.findall(r"^\| (?!Promise)[^|]+\| ([^|]+) \|$", text, re.MULTILINE)
    named = [re.findall(r"`([\w/]+\.py)`", row) for row in rows]

    assert len(rows) >= 9
    assert all(named)
    assert [] == [
        path for paths in named for path in paths if not (ROOT / "tests" / path).is_file()
    ]
