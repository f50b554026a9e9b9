"""JUnit XML against the schema of Jenkins, and read back by another parser."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from findings import ALL, DRIFTED, INCONCLUSIVE, rendered
from hashcost.core.text import escaped
from hashcost.render.document import Finding, Severity
from strategies import findings


@cache
def _schema() -> xmlschema.XMLSchema:
    """The schema of Jenkins, which takes a while to build."""
    return xmlschema.XMLSchema(Path(__file__).parent / "schemas" / "junit-10.xsd")


def cases(*found: Finding) -> list[Element]:
    """The test cases of a report that fits the schema."""
    text = rendered("junit", *found)
    _schema().validate(text)
    return list(fromstring(text).iter("testcase"))


def test_whole() -> None:
    """A failure with its reason, a warning that passes with a word, one skipped, one passed."""
    assert rendered("junit", *ALL) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="hashcost" time="0.254" tests="4" failures="1" errors="0">\n'
        '  <testsuite name="check" time="0.254" skipped="1" tests="4" failures="1" errors="0">\n'
        '    <testcase classname="hashcost.toml" name="bcrypt cost=8" time="0.013400">\n'
        '      <failure type="drifted" message="bcrypt cost=8 takes 13.4 ms; set cost=9">'
        "hashcost.toml:3: bcrypt cost=8 takes 13.4 ms; set cost=9\n"
        "Set what is advised.</failure>\n"
        "    </testcase>\n"
        '    <testcase classname="hashcost" name="bcrypt cost=12" time="0.214000">\n'
        "      <system-out>bcrypt cost=12 takes 214 ms</system-out>\n"
        "    </testcase>\n"
        '    <testcase classname="hashcost.toml" name="yescrypt cost=5">\n'
        '      <skipped type="inconclusive" message="yescrypt cost=5 was not timed" />\n'
        "    </testcase>\n"
        '    <testcase classname="hashcost.toml" name="bcrypt cost=9" time="0.026800" />\n'
        "  </testsuite>\n"
        "</testsuites>\n"
    )


@pytest.mark.parametrize(
    ("severity", "tag"),
    [(Severity.ERROR, "failure"), (Severity.WARNING, "skipped"), (Severity.NOTE, "skipped")],
)
def test_what_nobody_can_tell(severity: Severity, tag: str) -> None:
    """It is skipped, unless the check was told to fail for it."""
    found = replace(INCONCLUSIVE, severity=severity)
    (case,) = cases(found)

    assert [tag] == [child.tag for child in case]
    assert f'skipped="{int(tag == "skipped")}"' in rendered("junit", found)


def test_text_is_escaped() -> None:
    """Text that means something in XML is shown as it is written; what is unseen, as an escape."""
    (case,) = cases(
        replace(DRIFTED, subject='<a b="&c">', message="]]>\x1b[31m&\x00<!--\x85\ufffe", line=None)
    )

    assert '<a b="&c">' == case.get("name")
    assert "]]>\\x1b[31m&\\x00<!--\\u0085\\ufffe\nSet what is advised." == case[0].text


@given(found=st.lists(findings))
def test_any_finding_fits_the_schema(found: list[Finding]) -> None:
    """A report is valid and has a case for each finding, in order, whatever they say."""
    read = cases(*found)
    failed = [case.find("failure") is not None for case in read]

    assert [each.severity is Severity.ERROR for each in found] == failed
    assert [escaped(each.subject) for each in found] == [case.get("name") for case in read]
