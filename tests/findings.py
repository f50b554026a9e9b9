"""Findings that are made up, for the formats that are made of them."""

from __future__ import annotations

from typing import Any, Final

from hashcost.core.severity import Severity
from hashcost.render import render
from hashcost.render.document import Document, Finding

DRIFTED: Final = Finding(
    rule="drifted",
    rule_title="A cost has fallen behind",
    rule_help="Set what is advised.",
    severity=Severity.ERROR,
    subject="bcrypt cost=8",
    message="bcrypt cost=8 takes 13.4 ms; set cost=9",
    path="hashcost.toml",
    line=3,
    seconds=0.0134,
)
OVER_BUDGET: Final = Finding(
    rule="over-budget",
    rule_title="It takes too long",
    rule_help="Lower it.",
    severity=Severity.WARNING,
    subject="bcrypt cost=12",
    message="bcrypt cost=12 takes 214 ms",
    seconds=0.214,
)
INCONCLUSIVE: Final = Finding(
    rule="inconclusive",
    rule_title="Nobody can tell",
    rule_help="Measure again.",
    severity=Severity.NOTE,
    subject="yescrypt cost=5",
    message="yescrypt cost=5 was not timed",
    path="hashcost.toml",
    skipped=True,
)
FINE: Final = Finding(
    rule="fine",
    rule_title="It is worth its target",
    rule_help="Nothing to do.",
    severity=Severity.PASSED,
    subject="bcrypt cost=9",
    message="bcrypt cost=9 takes 26.8 ms",
    path="hashcost.toml",
    line=4,
    seconds=0.0268,
)
ALL: Final = (DRIFTED, OVER_BUDGET, INCONCLUSIVE, FINE)


def rendered(form: str, *findings: Finding, **options: Any) -> str:
    """A document of these findings alone, in this form."""
    document = Document(tables=(), fields=(), records=(), value=(), findings=findings)
    return render(document, form, **options)
