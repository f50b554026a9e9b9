"""JSON: the value itself, every figure in base units and full precision."""

from hashcost.render.document import Document
from hashcost.storage.profile import encode_json


def render(document: Document) -> str:
    """Write the document's value as indented JSON."""
    return encode_json(document.value).decode()
