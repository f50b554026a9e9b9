"""Links between the README, the documentation and the other texts lead somewhere."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = ROOT / "docs"
TEXTS: Final = (
    ROOT / "README.md",
    *sorted((ROOT / ".github").glob("*.md")),
    *sorted(DOCS.rglob("*.md")),
)
_LINK: Final = re.compile(r"\]\((?!https?://|mailto:)([^()\s]+)\)")
_CODE: Final = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(text: str) -> list[str]:
    """The anchors that headings get, on GitHub and from MkDocs alike."""
    blocks = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    plain = (heading.replace("`", "").strip().lower() for heading in _HEADING.findall(blocks))
    return [re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain]


def _leads(path: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = path.parent / name if name else path
    if not target.exists():
        return False
    return not anchor or anchor in anchors(target.read_text("utf-8"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Every link within the repository leads to a file, and to a heading of it."""
    links = _LINK.findall(_CODE.sub("code", path.read_text("utf-8")))
    assert [] == [link for link in links if not _leads(path, link)]
