"""A scan finds the costs of realistic code, and nothing where there are none."""

from __future__ import annotations

import pytest

from corpus.recall import OPEN, Snippet, score, snippets
from hashcost.source_code import tree
from sources import read_all_here

_EXCEPTIONS: dict[tuple[str, str], str] = {}
"""Snippets on which the scan is wrong, by language and name, with the reason."""


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each snippet would have a process of its own, to survive what none of them does."""
    monkeypatch.setattr(tree, "read_all", read_all_here)


SNIPPETS = [pytest.param(each, id=f"{each.language}-{each.name}") for each in snippets(OPEN)]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_what_a_snippet_sets_is_found(snippet: Snippet) -> None:
    """Each cost is found at its place or listed as unknown, and nothing is said besides."""
    result = score(snippet)
    known = _EXCEPTIONS.get((snippet.language, snippet.name))
    assert bool(known) == bool(result.missed or result.besides), (known, result)


def test_every_language_has_snippets_with_and_without_costs() -> None:
    """No language is left out, and each has code that is only like code that sets a cost."""
    all_of: dict[str, list[bool]] = {each.language: [] for each in snippets(OPEN)}
    for each in snippets(OPEN):
        all_of[each.language].append(bool(each.costs))
    assert 11 == len(all_of)
    assert all({True, False} == {*found} for found in all_of.values())
