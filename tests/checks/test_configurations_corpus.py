"""What a check reads of the corpus of configurations, which others wrote and worked out."""

from typing import Final

import pytest

from configurations import Configuration, Fare, answer, configurations, fare
from hashcost.checks.judgement import Judgement, Outcome
from hashcost.core.errors import HashcostError

_CORPUS: Final = tuple(configurations())
_MOST_UNKNOWN: Final = 0.2


def test_few_configurations_are_unknown() -> None:
    """Most of what a reader can tell is told."""
    unknown = [each for each in _CORPUS if each.expected is Fare.UNKNOWN]
    assert len(unknown) <= _MOST_UNKNOWN * len(_CORPUS)


@pytest.mark.parametrize("configuration", _CORPUS, ids=str)
def test_a_configuration_is_read_right_or_is_known_to_be_unknown(
    configuration: Configuration,
) -> None:
    """The costs are those that passwords really get, and what is unfit is told."""
    assert fare(configuration, answer(configuration)) is configuration.expected


@pytest.mark.parametrize(
    "configuration", [each for each in _CORPUS if each.truth == "unsuitable"], ids=str
)
def test_what_is_unfit_is_never_answered_by_a_cost_alone(configuration: Configuration) -> None:
    """Unsuitable, or unknown at the least, stands beside any cost that is found."""
    found = answer(configuration)
    assert not isinstance(found, HashcostError)
    outcomes = {each.outcome for each in found if isinstance(each, Judgement)}
    assert outcomes & {Outcome.UNSUITABLE, Outcome.UNKNOWN}
