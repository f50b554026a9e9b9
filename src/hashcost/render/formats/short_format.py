"""One line a row, to paste."""

from hashcost.render.document import Document


def render(document: Document) -> str:
    """Write the document's short lines, without head or answer."""
    return "".join(f"{line}\n" for line in document.short)
