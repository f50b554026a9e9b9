"""CSV: one record a line, figures in seconds and bytes."""

import csv
import io
from typing import Final

from hashcost.render.document import Document, Scalar

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Spreadsheets take text after one of these for a formula; some also after a full-width one.

https://owasp.org/www-community/attacks/CSV_Injection
"""


def render(document: Document) -> str:
    """Write the document's records below a header line."""
    text = io.StringIO()
    writer = csv.DictWriter(text, document.records.fields, lineterminator="\n")
    writer.writeheader()
    for record in document.records.rows:
        writer.writerow({name: _cell(value) for name, value in record.items()})
    return text.getvalue()


def _cell(value: Scalar) -> Scalar:
    """Keep a spreadsheet from reading text as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value
