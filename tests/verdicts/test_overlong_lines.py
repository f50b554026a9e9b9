"""What is not looked at whole is unknown, and never the default."""

from __future__ import annotations

import pytest

from hashcost.apps.registry import load_tunable
from hashcost.verdicts.app_costs import costs_in
from hashcost.verdicts.judgement import Configured, Judgement, Outcome


@pytest.mark.parametrize(
    ("app", "text"),
    [
        ("htpasswd", "#!/bin/sh\n" + "true; " * 1000 + "htpasswd -B -C 4 users alice\n"),
        ("django", "INSTALLED_APPS = ['" + "a" * 5000 + "']; exec(open('other.py').read())\n"),
    ],
)
def test_a_line_that_is_too_long_is_unknown(app: str, text: str) -> None:
    """Where nothing else sets a cost, a line beyond the bound is named instead of a default."""
    [found] = costs_in(load_tunable(app), text, "file", None)
    assert isinstance(found, Judgement)
    assert found.outcome is Outcome.UNKNOWN
    assert "longer than 4,096 characters" in found.message


def test_a_long_line_beside_a_cost_is_no_matter() -> None:
    """What the application is known to use stays as it is."""
    text = "PASSWORD_ITERATIONS=600000\nADMIN_TOKEN=" + "a" * 5000 + "\n"
    [found] = costs_in(load_tunable("vaultwarden"), text, ".env", None)
    assert isinstance(found, Configured)
