"""CSV: one record a line, figures in seconds and bytes."""

import csv
import io

from hashcost.render.document import Document, Scalar


def render(document: Document, width: int, color: bool) -> str:
    """The document's records with a header line."""
    text = io.StringIO()
    writer = csv.DictWriter(text, document.records.fields, lineterminator="\n")
    writer.writeheader()
    for record in document.records.rows:
        writer.writerow({name: _cell(value) for name, value in record.items()})
    return text.getvalue()


def _cell(value: Scalar) -> Scalar:
    """Keep a spreadsheet from reading text as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@" and value else value
