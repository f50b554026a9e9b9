"""What a check reads of the corpus of configurations, which others wrote and worked out."""

from __future__ import annotations

from typing import Final

import pytest

from configurations import Configuration, Fare, answer, configurations, fare
from hashcost.verdicts.judgement import Judgement, Outcome

_CORPUS: Final = tuple(configurations())
_MOST_UNKNOWN: Final = 0.1

_UNKNOWN: Final = {
    "aspnet-identity: the count bound from appsettings": "a section bound to the options",
    "devise: the initializer is strong, the model sets its own": "an option of a model",
    "django: a subclass that doubles what it inherits": "arithmetic on the release's default",
    "django: PROD must be set, or else it is quick": "a list that a variable decides",
    "django: popped and replaced": "a list changed in its place",
    "drupal: options without an algorithm": "the default of the PHP that runs it",
    "elixir: rounds for tests only": "nothing in the file names a library",
    "login-defs: BCRYPT where shadow was built without it": "how shadow was built",
    "openldap: a count that pw-pbkdf2 does not take": "a count that most releases ignore",
    "passlib: a copy with other rounds is the one in use": "a context made of another",
    "passlib: updated after it was made": "a context that is changed",
}
"""What is not told of those that a reader can tell, with what is not read."""


def test_few_configurations_are_unknown() -> None:
    """Most of what a reader can tell is told."""
    assert len(_UNKNOWN) <= _MOST_UNKNOWN * len(_CORPUS)


@pytest.mark.parametrize("configuration", _CORPUS, ids=str)
def test_a_configuration_is_read_right_or_is_known_to_be_unknown(
    configuration: Configuration,
) -> None:
    """The costs are those that passwords really get, and what is unfit is told."""
    expected = Fare.UNKNOWN if str(configuration) in _UNKNOWN else Fare.RIGHT
    assert fare(configuration, answer(configuration)) is expected


@pytest.mark.parametrize(
    "configuration", [each for each in _CORPUS if each.truth == "unsuitable"], ids=str
)
def test_what_is_unfit_is_never_answered_by_a_cost_alone(configuration: Configuration) -> None:
    """Unsuitable, or unknown at the least, stands beside any cost that is found."""
    found = answer(configuration)
    assert isinstance(found, tuple)
    outcomes = {each.outcome for each in found if isinstance(each, Judgement)}
    assert outcomes & {Outcome.UNSUITABLE, Outcome.UNKNOWN}
