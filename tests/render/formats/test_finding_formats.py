"""The formats that are made of findings, each read back as its reader reads it."""

import io
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element, fromstring

import jsonschema
import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from findings import ALL, DRIFTED, FINE, INCONCLUSIVE, OVER_BUDGET, rendered
from hashcost import __version__
from hashcost.core.severity import Severity
from hashcost.core.text import escaped, path_name
from hashcost.render.document import Finding
from hashcost.render.formats import sarif_format
from snapshots import Snapshot
from strategies import findings

SCHEMAS: Final = Path(__file__).parent / "schemas"
_COMMAND: Final = re.compile(r"::([a-z]+)(?: ([^\n]*?))?::(.*)", re.DOTALL)
_CODES: Final = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


@cache
def _junit_schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")


@cache
def _sarif_schema() -> jsonschema.Draft4Validator:
    text = (SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text("utf-8")
    return jsonschema.Draft4Validator(json.loads(text))


def commands(*found: Finding) -> list[tuple[str, dict[str, str], str]]:
    """GitHub's annotations: name, properties and message of each, as the runner splits them."""
    # .NET ends a line at these three; anything more that a line holds belongs to it.
    lines = io.StringIO(rendered("github", *found), newline=None).read().split("\n")[:-1]
    matches = [_COMMAND.fullmatch(line) for line in lines]
    assert all(matches)
    return [
        (
            match[1],
            {
                key: _decoded(value)
                for key, _, value in (pair.partition("=") for pair in match[2].split(","))
            },
            _decoded(match[3]),
        )
        for match in matches
        if match
    ]


def _decoded(text: str) -> str:
    for code, character in _CODES:
        text = text.replace(code, character)
    return text


def entries(*found: Finding) -> list[dict[str, Any]]:
    """The entries of GitLab's code quality report."""
    report: list[dict[str, Any]] = json.loads(rendered("gitlab", *found))
    return report


def cases(*found: Finding) -> list[Element]:
    """The test cases of a JUnit report, which fits the schema of Jenkins."""
    text = rendered("junit", *found)
    _junit_schema().validate(text)
    return list(fromstring(text).iter("testcase"))


def results(*found: Finding) -> list[dict[str, Any]]:
    """The results in a SARIF log, which fits its schema."""
    log = json.loads(rendered("sarif", *found))
    _sarif_schema().validate(log)
    (run,) = log["runs"]
    of_run: list[dict[str, Any]] = run["results"]
    return of_run


@pytest.mark.parametrize("form", ["github", "gitlab", "junit", "sarif"])
def test_whole(form: str, snapshot: Snapshot) -> None:
    """An error, a warning and a note, each at its place; what passed is a case only of JUnit."""
    snapshot(rendered(form, *ALL).replace(__version__, "VERSION"))


READ: Final[dict[str, Callable[..., list[str]]]] = {
    "github": lambda *found: [message for _, _, message in commands(*found)],
    "gitlab": lambda *found: [entry["description"] for entry in entries(*found)],
    "sarif": lambda *found: [result["ruleId"] for result in results(*found)],
}


@pytest.mark.parametrize("form", READ)
@given(found=st.lists(findings, max_size=12))
def test_each_finding_that_did_not_pass_is_read_back(form: str, found: list[Finding]) -> None:
    """No text ends, forges or spoils an entry, whatever it holds."""
    failed = [finding for finding in found if finding.severity is not Severity.PASSED]
    wanted = [row.rule if form == "sarif" else escaped(row.message) for row in failed]

    assert wanted == READ[form](*found)


def test_line_needs_a_file() -> None:
    """A line without a file would be shown at a line of the workflow, and is left out."""
    assert "line=" not in rendered("github", replace(OVER_BUDGET, line=7))


@given(finding=findings.filter(lambda finding: finding.severity is Severity.ERROR))
def test_properties_are_kept(finding: Finding) -> None:
    """File, line and title come back whole, whatever they hold."""
    ((name, properties, _),) = commands(finding)
    place = {"file": finding.path and escaped(finding.path), "line": finding.line}
    shown = place if finding.path else {}
    wanted = {key: str(value) for key, value in shown.items() if value is not None}

    assert ("error", {**wanted, "title": escaped(finding.rule_title)}) == (name, properties)


def test_fingerprints_outlive_a_run() -> None:
    """The same cost is known again when its time and its line have changed."""
    again = replace(DRIFTED, message="bcrypt cost=8 takes 11.9 ms", line=9, seconds=0.0119)

    assert entries(DRIFTED)[0]["fingerprint"] == entries(again)[0]["fingerprint"]


def test_fingerprints_tell_findings_apart() -> None:
    """Another rule, another cost or another file is another entry, and so is a repetition."""
    changes: tuple[dict[str, Any], ...] = (
        *({}, {}, {"rule": "below-min"}, {"subject": "bcrypt cost=7"}),
        *({"path": "elsewhere/hashcost.toml"}, {"path": None}),
    )
    found = [replace(DRIFTED, **change) for change in changes]

    assert len(found) == len({entry["fingerprint"] for entry in entries(*found)})


@pytest.mark.parametrize(
    ("severity", "tag"),
    [(Severity.ERROR, "failure"), (Severity.WARNING, "skipped"), (Severity.NOTE, "skipped")],
)
def test_an_inconclusive_cost_is_skipped(severity: Severity, tag: str) -> None:
    """It is skipped, unless the check was told to fail for it."""
    found = replace(INCONCLUSIVE, severity=severity)
    (case,) = cases(found)

    assert [tag] == [child.tag for child in case]
    assert f'skipped="{int(tag == "skipped")}"' in rendered("junit", found)


def test_text_is_escaped() -> None:
    """Text that means something in XML is shown as it is written; what is unseen, escaped."""
    message = "]]>\x1b[31m&\x00<!--\x85\ufffe"
    (case,) = cases(replace(DRIFTED, subject='<a b="&c">', message=message, line=None))

    assert '<a b="&c"> (hashcost.toml)' == case.get("name")
    assert "]]>\\x1b[31m&\\x00<!--\\u0085\\ufffe\nSet what is advised." == case[0].text


@given(found=st.lists(findings))
def test_a_junit_report_counts_its_cases(found: list[Finding]) -> None:
    """The report and its suite say how many cases there are, and how many of them failed."""
    root = fromstring(rendered("junit", *found))
    failed = sum(finding.severity is Severity.ERROR for finding in found)
    (suite,) = root
    for element in (root, suite):
        assert (str(len(found)), str(failed), "0") == (
            element.get("tests"),
            element.get("failures"),
            element.get("errors"),
        )


@given(found=st.lists(findings))
def test_any_finding_fits_the_schema(found: list[Finding]) -> None:
    """A report is valid and has a case for each finding, in order, whatever they say."""
    read = cases(*found)
    failed = [case.find("failure") is not None for case in read]

    assert [finding.severity is Severity.ERROR for finding in found] == failed
    names = [case.get("name") or "" for case in read]
    assert all(map(str.startswith, names, [escaped(finding.subject) for finding in found]))
    assert len(found) == len({(case.get("classname"), case.get("name")) for case in read})


def uri(path: str) -> str:
    """The reference that stands for a path in SARIF."""
    (result,) = results(replace(DRIFTED, path=path_name(path)))
    return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


class TestSarif:
    """A log for code scanning."""

    def test_nothing_failed(self) -> None:
        """Without a result code scanning closes what it had open."""
        assert [] == results(FINE) == results()

    def test_paths_are_relative_references(self) -> None:
        """A path is percent-encoded and relative; one from the root on is a file's URI."""
        assert "a%20b/hash%23cost%3F.toml" == uri("a b/hash#cost?.toml")
        assert "../%C3%BCber/100%25.toml" == uri("../über/100%.toml")
        assert "c%3A/hashcost.toml" == uri("c:/hashcost.toml")
        assert "file:///srv/app/hashcost.toml" == uri("/srv/app/hashcost.toml")

    @given(found=findings.filter(lambda found: found.path is not None))
    def test_any_path_is_kept(self, found: Finding) -> None:
        """A reference holds no character that must be encoded, and gives the path back."""
        reference = uri(found.path or "").removeprefix("file://")

        assert re.fullmatch(r"[A-Za-z0-9._~/%-]*", reference)
        assert found.path == unquote(reference)

    @given(found=st.lists(findings))
    def test_a_rule_is_as_severe_as_its_worst_finding(self, found: list[Finding]) -> None:
        """Code scanning shows a rule with its level: that of the worst of its findings, in
        whatever order they come.
        """
        levels: dict[str, set[str]] = {}
        for result in results(*found):
            levels.setdefault(result["ruleId"], set()).add(result["level"])
        worst_first = ("error", "warning", "note")
        wanted = {
            rule: next(level for level in worst_first if level in of_rule)
            for rule, of_rule in levels.items()
        }
        log = json.loads(rendered("sarif", *found))
        rules = log["runs"][0]["tool"]["driver"]["rules"]

        assert wanted == {rule["id"]: rule["defaultConfiguration"]["level"] for rule in rules}

    def test_message_is_not_a_link(self) -> None:
        """Text that means something in a SARIF message is shown as it is written."""
        (result,) = results(replace(DRIFTED, message=r"[a](http://b) {0} \ c"))

        assert r"\[a\](http://b) {{0}} \\ c" == result["message"]["text"]


@pytest.mark.parametrize("address", ["", "https://hashcost.example/"])
def test_a_rule_has_an_address_only_if_the_documentation_has_one(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SARIF's `helpUri` is the part of the page on the verdict."""
    monkeypatch.setattr(sarif_format, "DOCUMENTATION", address)
    log = json.loads(rendered("sarif", *ALL))
    _sarif_schema().validate(log)
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        wanted = f"{address}verdicts.html#{rule['id']}" if address else None
        assert wanted == rule.get("helpUri")
