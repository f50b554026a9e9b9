"""A scan finds the costs of realistic code, and nothing where there are none."""

from __future__ import annotations

from typing import Final

import pytest

from corpus.recall import OPEN, Snippet, score, snippets

_NOT_TOLD: Final = {
    ("elixir", "a constant function of another module"): "results of functions are not followed",
    ("rust", "environment with unwrap_or"): "results of functions are not followed",
}
"""Snippets with a cost that is listed as unknown, by language and name, with the reason."""


SNIPPETS = [pytest.param(each, id=f"{each.language}-{each.name}") for each in snippets(OPEN)]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_what_a_snippet_sets_is_found(snippet: Snippet) -> None:
    """Each cost is found at its place or listed as unknown, and nothing is said besides."""
    result = score(snippet)
    assert not result.besides, result
    assert result.missed == [] or (snippet.language, snippet.name) in _NOT_TOLD, result
    assert len(result.missed) == len(result.listed), result


def test_every_language_has_snippets_with_and_without_costs() -> None:
    """No language is left out, and each has code that is only like code that sets a cost."""
    all_of: dict[str, list[bool]] = {each.language: [] for each in snippets(OPEN)}
    for each in snippets(OPEN):
        all_of[each.language].append(bool(each.costs))
    assert 11 == len(all_of)
    assert all({True, False} == {*found} for found in all_of.values())
