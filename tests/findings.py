"""Findings that are made up, for the formats that are made of them."""

from typing import Any, Final

import msgspec

from corpora import cases
from hashcost.render import render
from hashcost.render.document import Document, Finding

ALL: Final = msgspec.convert(cases(__file__, "findings.toml", "finding"), tuple[Finding, ...])
DRIFTED, OVER_BUDGET, INCONCLUSIVE, FINE = ALL


def rendered(form: str, *findings: Finding, **options: Any) -> str:
    """A document of these findings alone, in this form."""
    document = Document(tables=(), value=(), findings=findings)
    return render(document, form, **options)
