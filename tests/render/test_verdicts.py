"""The texts on verdicts."""

import datetime as dt

import pytest

from hashcost.checks.judgement import ACCEPTABLE, Outcome
from hashcost.checks.waivers import parse_waiver
from hashcost.render.verdicts import verdict_pages

TODAY = dt.date(2026, 11, 20)


@pytest.mark.parametrize("outcome", Outcome)
def test_a_page_says_how_to_accept_a_finding(outcome: Outcome) -> None:
    """A verdict that can be accepted shows a waiver that holds; any other says what to do."""
    page = verdict_pages()[outcome.value]

    assert (outcome in ACCEPTABLE) is bool(page.waiver)
    assert bool(page.waiver) is not bool(page.accept)
    if page.waiver:
        waiver = parse_waiver(f"{page.waiver} until 2026-12-24: later", TODAY)
        assert {outcome} == waiver.outcomes
