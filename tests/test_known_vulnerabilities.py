"""What is made of pip-audit's answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tools.known_vulnerabilities import read, verdict

SOUND: dict[str, Any] = {"name": "click", "version": "8.3.1", "vulns": []}
SKIPPED = {"name": "hashcost", "skip_reason": "distribution marked as editable"}
WEAK = {
    "name": "jinja2",
    "version": "3.1.0",
    "vulns": [
        {"id": "PYSEC-1", "fix_versions": ["3.1.6"], "aliases": [], "description": "x"},
        {"id": "PYSEC-2", "fix_versions": [], "aliases": [], "description": "x"},
    ],
}


def answered(*packages: dict[str, Any]) -> str:
    """The JSON of pip-audit."""
    return json.dumps({"dependencies": packages, "fixes": []})


@pytest.mark.parametrize(
    ("text", "code", "required_code", "said"),
    [
        (answered(SOUND, SKIPPED), 0, 0, "none known in 1 packages"),
        (
            answered(SOUND, WEAK),
            1,
            1,
            "jinja2 3.1.0: PYSEC-1, fixed in 3.1.6\njinja2 3.1.0: PYSEC-2, fixed in no version",
        ),
        (answered(SKIPPED), 0, 1, "not audited: no service of advisories answers here"),
        ("", 0, 1, "not audited: no service of advisories answers here"),
    ],
    ids=["sound", "weak", "skipped", "unreachable"],
)
def test_silence_is_told_from_a_clean_answer(
    text: str, code: int, required_code: int, said: str
) -> None:
    """A vulnerability fails; silence says so, and fails only where an answer is required."""
    assert (code, said) == verdict(read(text), required=False)
    assert (required_code, said) == verdict(read(text), required=True)
