"""GitLab's code quality report."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from findings import ALL, DRIFTED, FINE, OVER_BUDGET, rendered
from hashcost.core.text import escaped
from hashcost.render.document import Finding, Severity
from strategies import findings


def entries(*found: Finding) -> list[dict[str, Any]]:
    """The entries of a report."""
    read = json.loads(rendered("gitlab", *found))
    assert isinstance(read, list)
    return read


def test_whole() -> None:
    """An entry has what GitLab requires, and nothing that it does not know."""
    (entry,) = entries(DRIFTED, FINE)
    fingerprint = entry.pop("fingerprint")

    assert fingerprint
    assert entry == {
        "description": "bcrypt cost=8 takes 13.4 ms; set cost=9",
        "check_name": "drifted",
        "severity": "major",
        "location": {"path": "hashcost.toml", "lines": {"begin": 3}},
    }


def test_severities() -> None:
    """An error is major, a warning minor, a note only for information."""
    assert ["major", "minor", "info"] == [entry["severity"] for entry in entries(*ALL)]


def test_a_cost_in_no_file() -> None:
    """An entry needs a path: that of the file which the cost could stand in."""
    (entry,) = entries(OVER_BUDGET)

    assert {"path": "hashcost.toml", "lines": {"begin": 1}} == entry["location"]


def test_fingerprints_outlive_a_run() -> None:
    """The same cost is known again when its time and its line have changed."""
    again = replace(DRIFTED, message="bcrypt cost=8 takes 11.9 ms", line=9, seconds=0.0119)

    assert entries(DRIFTED)[0]["fingerprint"] == entries(again)[0]["fingerprint"]


def test_fingerprints_tell_findings_apart() -> None:
    """Another rule, another cost or another file is another entry, and so is a repetition."""
    found = (
        DRIFTED,
        DRIFTED,
        replace(DRIFTED, rule="below-floor"),
        replace(DRIFTED, subject="bcrypt cost=7"),
        replace(DRIFTED, path="elsewhere/hashcost.toml"),
        replace(DRIFTED, path=None),
    )

    assert len(found) == len({entry["fingerprint"] for entry in entries(*found)})


@given(found=st.lists(findings, max_size=12))
def test_any_finding(found: list[Finding]) -> None:
    """There is an entry for each finding that did not pass, and no two are taken for one."""
    failed = [each for each in found if each.severity is not Severity.PASSED]
    read = entries(*found)

    assert [escaped(each.message) for each in failed] == [entry["description"] for entry in read]
    assert len(failed) == len({entry["fingerprint"] for entry in read})
