"""SARIF against its schema, and what code scanning makes of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from findings import ALL, DRIFTED, FINE, INCONCLUSIVE, OVER_BUDGET, rendered
from hashcost import __version__
from hashcost.core.text import path_name
from hashcost.render.document import Finding, Severity
from strategies import findings

SCHEMA: Final = jsonschema.Draft4Validator(
    json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
)


def run(*found: Finding) -> dict[str, Any]:
    """The run in a log that fits the schema."""
    log = json.loads(rendered("sarif", *found))
    SCHEMA.validate(log)
    (only,) = log["runs"]
    assert isinstance(only, dict)
    return only


def results(*found: Finding) -> list[dict[str, Any]]:
    """The results of the run."""
    found_results = run(*found)["results"]
    assert isinstance(found_results, list)
    return found_results


def uri(path: str) -> str:
    """The reference that stands for a path."""
    (result,) = results(replace(DRIFTED, path=path_name(path)))
    found = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert isinstance(found, str)
    return found


def test_driver() -> None:
    """The tool is named with its version and its home, each rule once, with help."""
    driver = run(DRIFTED, DRIFTED, *ALL)["tool"]["driver"]

    assert ("hashcost", __version__) == (driver["name"], driver["version"])
    assert "informationUri" not in driver  # No page of this name is ours yet.
    assert ["drifted", "over-budget", "inconclusive"] == [rule["id"] for rule in driver["rules"]]
    assert "Set what is advised." == driver["rules"][0]["help"]["text"]
    assert "A cost has fallen behind" == driver["rules"][0]["shortDescription"]["text"]


def test_results() -> None:
    """What did not pass is a result with its rule, level and message."""
    found = [
        (result["ruleId"], result["ruleIndex"], result["level"], result["message"]["text"])
        for result in results(*ALL)
    ]

    assert found == [
        ("drifted", 0, "error", "bcrypt cost=8 takes 13.4 ms; set cost=9"),
        ("over-budget", 1, "warning", "bcrypt cost=12 takes 214 ms"),
        ("inconclusive", 2, "note", "yescrypt cost=5 was not timed"),
    ]


def test_places() -> None:
    """A result has the line or the file alone, and of no file no location."""
    drifted, over_budget, inconclusive = results(DRIFTED, OVER_BUDGET, INCONCLUSIVE)
    place, whole = (each["locations"][0]["physicalLocation"] for each in (drifted, inconclusive))

    assert {"artifactLocation": {"uri": "hashcost.toml"}, "region": {"startLine": 3}} == place
    assert {"artifactLocation": {"uri": "hashcost.toml"}} == whole
    assert "locations" not in over_budget


def test_nothing_failed() -> None:
    """Without a result code scanning closes what it had open."""
    assert [] == results(FINE)
    assert [] == results()


@pytest.mark.parametrize(
    ("path", "reference"),
    [
        ("a b/hash#cost?.toml", "a%20b/hash%23cost%3F.toml"),
        ("../above/hashcost.toml", "../above/hashcost.toml"),
        ("über/100%.toml", "%C3%BCber/100%25.toml"),
        ("c:/hashcost.toml", "c%3A/hashcost.toml"),
        ("/srv/app/hashcost.toml", "file:///srv/app/hashcost.toml"),
    ],
)
def test_paths_are_relative_references(path: str, reference: str) -> None:
    """A path is percent-encoded and relative; one from the root on is a file's URI."""
    assert reference == uri(path)


@given(found=st.lists(findings))
def test_any_finding_fits_the_schema(found: list[Finding]) -> None:
    """A log is valid, with a result for each finding that did not pass, whatever they say."""
    failed = [each for each in found if each.severity is not Severity.PASSED]

    assert [each.rule for each in failed] == [result["ruleId"] for result in results(*found)]


@given(found=findings.filter(lambda found: found.path is not None))
def test_any_path_is_kept(found: Finding) -> None:
    """A reference holds no character that would have to be encoded, and gives the path back."""
    reference = uri(found.path or "")

    assert re.fullmatch(r"[A-Za-z0-9._~/%-]*", reference.removeprefix("file://"))
    assert found.path == unquote(reference.removeprefix("file://"))


def test_message_is_no_link() -> None:
    """Text that means something in a SARIF message is shown as it is written."""
    (result,) = results(replace(DRIFTED, message=r"[a](http://b) {0} \ c"))

    assert r"\[a\](http://b) {{0}} \\ c" == result["message"]["text"]
