"""The list of the facts whose sources were read longest ago."""

import datetime as dt

import pytest

from tools.facts import OLDEST_DAYS, facts, main


def test_the_ten_oldest_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the ten has its day and its file, the oldest first; age alone fails nothing."""
    far = facts()[0].day + dt.timedelta(days=2 * OLDEST_DAYS)
    assert main([], far) == 0
    listed = capsys.readouterr().out.splitlines()
    days = [line.split()[0] for line in listed[:10]]
    assert days == sorted(days)
    assert all(".toml: " in line for line in listed[:10])
    assert len(listed) == 11


@pytest.mark.parametrize(("days", "code"), [(OLDEST_DAYS, 0), (OLDEST_DAYS + 1, 1)])
def test_the_night_fails_on_a_fact_of_more_than_a_year(days: int, code: int) -> None:
    """With --fail, a source that was read more than 365 days ago is a failure."""
    assert main(["--fail"], facts()[0].day + dt.timedelta(days=days)) == code
