"""JSON: the value itself, every figure in base units and full precision."""

from hashcost.render.document import Document
from hashcost.storage.profile import encode_json


def render(document: Document, width: int, color: bool) -> str:
    """The document's value as indented JSON."""
    return encode_json(document.value).decode()
