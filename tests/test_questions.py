"""The guides answer what people ask, each on a short page with its sources."""

import re
import textwrap
from pathlib import Path
from typing import Final

import pytest

GUIDES: Final = Path(__file__).parents[1] / "docs" / "guides"
INDEX: Final = (GUIDES / "index.md").read_text("utf-8")
PAGES: Final = sorted(path for path in GUIDES.glob("*.md") if path.name != "index.md")

# What some 120 public threads ask, and the page of the answer.
ASKED: Final = {
    "Basic authentication": "requests.md",
    "random tokens": "tokens.md",
    "scanner": "tokens.md",
    "move old hashes": "move-old-hashes.md",
    "old hashes are gone": "move-old-hashes.md",
    "every login rehash": "raise-a-cost.md",
    "higher cost do to my server": "raise-a-cost.md",
    "tests slow": "tests.md",
    "debug build": "debug-builds.md",
    "dummy hash": "unknown-users.md",
    "event loop": "event-loops.md",
    "how large a pool": "event-loops.md",
    "72 bytes": "long-passwords.md",
    "floods the login": "floods.md",
    "stored hash cost too much": "floods.md",
    "serverless": "serverless.md",
    "browser, a phone, OPAQUE": "clients.md",
    "LUKS": "disks.md",
    "FIPS": "fips.md",
    "minimum 10 or 12": "../policies.md",
    "Argon2 or bcrypt": "../choose-a-cost.md",
}
MOST_LINES: Final = 48
"""Two screens of 80 columns."""


def rows() -> list[tuple[str, str]]:
    """Each question of the index, with its answer."""
    table = INDEX.partition("|---|---|\n")[2]
    return re.findall(r"^\| (.*?) \| (.*) \|$", table, re.MULTILINE)


@pytest.mark.parametrize(("words", "page"), ASKED.items())
def test_a_question_leads_to_its_page_in_one_step(words: str, page: str) -> None:
    """Who looks for the words of a question in the index finds a link to the answer."""
    answers = [answer for question, answer in rows() if words.lower() in question.lower()]
    pages = [re.findall(r"\]\(([^)#]*)", answer)[0] for answer in answers]

    assert {page} == set(pages)


def test_the_index_has_every_guide_in_the_order_of_the_questions() -> None:
    """No guide is without a question, and the questions are sorted as a reader looks for them."""
    questions = [question for question, _ in rows()]
    linked = set(re.findall(r"\]\(([\w-]+\.md)", INDEX))

    assert {path.name for path in PAGES} == linked
    assert sorted(questions, key=str.lower) == questions


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_guide_is_an_answer_a_command_and_sources(path: Path) -> None:
    """A guide fits two screens: first the answer, then what shows it here, then the sources,
    each with an address and what it says.
    """
    text = path.read_text("utf-8")
    answer, shown, sources = text.split("\n## ")
    shown_as = re.sub(r"\]\([^)]*\)", "]", text)
    wrapped = [part for line in shown_as.splitlines() for part in textwrap.wrap(line, 80) or [""]]
    listed = [line for line in sources.splitlines() if line.startswith("- ")]

    assert len(answer.split()) > 80
    assert shown.startswith("See it on this machine\n")
    assert re.search(r"^(\$ )?calibrate ", shown, re.MULTILINE)
    assert sources.startswith("Sources\n")
    assert len(listed) >= 4
    assert [] == [line for line in listed if not re.search(r"\]\(\S+\).*: \S", line)]
    assert len(wrapped) <= MOST_LINES
