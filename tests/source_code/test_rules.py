"""Every pattern finds its own example and what realistic code sets, and nothing else."""

import re
from typing import Final

import pytest

from corpus.recall import OPEN, Snippet, score, snippets
from hashcost.core.algorithms import COST_NAMES, OTHER_DIGESTS
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.measurement import Params
from hashcost.source_code.matching import Matches, found_in
from hashcost.source_code.rules import LANGUAGES, by_suffix, load_language
from sources import commented, program, quoted

_WITH_OTHER_DIGESTS: Final = {f"pbkdf2-{digest}" for digest in OTHER_DIGESTS}
NOT_JUDGED: Final = {"argon2i", "argon2d", *_WITH_OTHER_DIGESTS}
"""Hashers that are recognised, and have no policy and no price here."""

_of_a_language = pytest.mark.parametrize("name", LANGUAGES)


@_of_a_language
def test_each_pattern_finds_its_example(name: str) -> None:
    """A pattern finds the cost in its example, once, and that example passes the quick search."""
    language = load_language(name)
    assert name == language.language
    assert language.rule
    assert language.tests
    assert all(anchor == anchor.lower() for anchor in language.anchors)
    for rule in language.rule:
        text = program(name, rule.example)
        if rule.unfit:
            _check_unfit(found_in(text, name), rule.finds, text)
            assert language.may_hold(text.encode()), text
            continue
        cost = _cost_of(rule.finds)
        found = found_in(text, name)
        costs = [(each.hasher, each.params) for each in found.costs]
        assert [cost] == costs, text
        assert () == found.unknown, text
        assert language.may_hold(text.encode()), text


def _check_unfit(found: Matches, finds: str, text: str) -> None:
    """Check that a pattern finds what is no password hash, once."""
    assert () == found.costs, text
    assert [(finds, True)] == [(each.hasher, each.is_unfit) for each in found.unknown], text


def _cost_of(finds: str) -> tuple[str, Params | None]:
    """The cost that a pattern finds; one of a hasher that nobody judges has argon2id's params."""
    hasher, _, cost = finds.partition("=")
    if hasher in NOT_JUDGED:
        return hasher, parse_cost(f"argon2id={cost}").params
    found = parse_cost(finds)
    return found.hasher, found.params


@_of_a_language
def test_a_default_that_changed_says_since_when(name: str) -> None:
    """Where no file tells the release, the row says from which one on its default counts."""
    for rule in load_language(name).rule:
        has_default = any(place.default is not None for place in rule.params.values())
        if has_default and any(release.below for release in rule.releases):
            assert re.search(r"\bsince (?:\.NET )?\d|\bup to \d", rule.why), rule.why


@_of_a_language
def test_no_pattern_matches_a_comment_or_a_string(name: str) -> None:
    """The example in one of any kind sets no cost, and is not counted as unknown."""
    for rule in load_language(name).rule:
        for text in (*commented(name, rule.example), *quoted(name, rule.example)):
            found = found_in(text, name)
            assert ((), ()) == (found.costs, found.unknown), text


@_of_a_language
def test_each_pattern_speaks_of_known_hashers(name: str) -> None:
    """A pattern gives all params of a hasher that is known, and names its source."""
    for rule in load_language(name).rule:
        at = rule.example
        assert rule.source, at
        assert rule.calls or rule.assigns, at
        if rule.unfit:
            assert rule.hasher is None, at
            assert rule.params.keys() <= {"rounds"}, at
            continue
        assert (rule.hasher is None) == (rule.which is not None) or rule.library == "argon2", at
        hashers = {rule.hasher} if rule.which is None else set(rule.which.values.values())
        judged = hashers - NOT_JUDGED
        assert judged <= COST_NAMES.keys(), at
        assert all({*rule.params} == {*COST_NAMES[each]} for each in judged if each), at
        assert all(param.default is None for param in rule.params.values()) or rule.why, at


def test_every_grammar_is_there() -> None:
    """Each end of a file name has a grammar that parses."""
    for language, grammar in by_suffix().values():
        assert () == found_in("", language.language, grammar=grammar).costs
        text = program(language.language, language.rule[0].example)
        assert 1 == len(found_in(text, language.language, grammar=grammar).costs)


SNIPPETS = [pytest.param(each, id=f"{each.language}-{each.name}") for each in snippets(OPEN)]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_what_a_snippet_sets_is_found(snippet: Snippet) -> None:
    """Each cost is found at its place, and nothing is said besides."""
    result = score(snippet)
    assert not result.besides, result
    assert result.missed == [], result


def test_every_language_has_snippets_with_and_without_costs() -> None:
    """No language is left out, and each has code that is only like code that sets a cost."""
    all_of: dict[str, list[bool]] = {each.language: [] for each in snippets(OPEN)}
    for each in snippets(OPEN):
        all_of[each.language].append(bool(each.costs))
    assert 11 == len(all_of)
    assert all({True, False} == {*found} for found in all_of.values())
