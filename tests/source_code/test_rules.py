"""Every pattern finds its own example, and nothing where no code is."""

from __future__ import annotations

import pytest

from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import parse_cost
from hashcost.source_code.matching import found_in
from hashcost.source_code.rules import LANGUAGES, Language, Rule, by_suffix, load_language
from sources import commented, program, quoted, rules

RULES = [
    pytest.param(language, rule, id=f"{language.language}-{rule.finds}-{number}")
    for number, (language, rule) in enumerate(rules())
]


@pytest.mark.parametrize(("language", "rule"), RULES)
def test_each_pattern_finds_its_example(language: Language, rule: Rule) -> None:
    """A pattern finds the cost in its example, once, and that example passes the quick search."""
    text = program(language.language, rule.example)
    cost = parse_cost(rule.finds)
    found = found_in(text, language.language)
    assert [(cost.hasher, cost.params)] == [(each.hasher, each.params) for each in found.costs]
    assert () == found.unknown
    assert language.may_hold(text.encode())


@pytest.mark.parametrize(("language", "rule"), RULES)
def test_no_pattern_matches_a_comment(language: Language, rule: Rule) -> None:
    """The example in a comment of any kind sets no cost, and is not counted as unknown."""
    for text in commented(language.language, rule.example):
        found = found_in(text, language.language)
        assert () == found.costs, text
        assert () == found.unknown, text


@pytest.mark.parametrize(("language", "rule"), RULES)
def test_no_pattern_matches_a_string(language: Language, rule: Rule) -> None:
    """The example in a string of any kind sets no cost, and is not counted as unknown."""
    for text in quoted(language.language, rule.example):
        found = found_in(text, language.language)
        assert () == found.costs, text
        assert () == found.unknown, text


@pytest.mark.parametrize(("language", "rule"), RULES)
def test_each_pattern_speaks_of_known_hashers(language: Language, rule: Rule) -> None:
    """A pattern gives all params of a hasher that is known, and names its source."""
    assert (rule.hasher is None) == (rule.which is not None) or rule.library == "argon2"
    hashers = {rule.hasher} if rule.which is None else set(rule.which.values.values())
    for hasher in hashers:
        assert hasher in COST_NAMES
        assert {*rule.params} == {*COST_NAMES[hasher]}
    assert rule.source
    assert rule.calls or rule.assigns
    assert all(param.default is None for param in rule.params.values()) or rule.why


def test_every_grammar_is_there() -> None:
    """Each end of a file name has a grammar that parses."""
    for language, grammar in by_suffix().values():
        assert () == found_in("", language.language, grammar=grammar).costs
        text = program(language.language, language.rule[0].example)
        assert 1 == len(found_in(text, language.language, grammar=grammar).costs)


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_has_rules_and_names_of_tests(name: str) -> None:
    """Each language knows what it looks for and which files hold tests."""
    language = load_language(name)
    assert name == language.language
    assert language.rule
    assert language.tests
    assert all(anchor == anchor.lower() for anchor in language.anchors)
