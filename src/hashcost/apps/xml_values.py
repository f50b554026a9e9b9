"""XML: the attributes and the texts of elements, each with its line; nothing is expanded."""

from typing import NoReturn
from xml.parsers import expat

from hashcost.apps.text import Entry
from hashcost.core.errors import at_line


def xml_values(text: str) -> list[Entry]:
    """Each attribute as ``Element.attribute``, and each text as ``Element``.

    The line is that on which the element begins.

    Raises:
        UnreadableInputError: it is not XML, or has a DOCTYPE.
    """
    entries = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    begun = []

    def start(name: str, attributes: dict[str, str]) -> None:
        line = parser.CurrentLineNumber
        begun.append(Entry(name, "", line))
        for attribute, value in attributes.items():
            entries.append(Entry(f"{name}.{attribute}", value, line))

    def written(data: str) -> None:
        if data.strip():
            entries.append(Entry(begun[-1].name, data.strip(), begun[-1].line))

    def end(_: str) -> None:
        begun.pop()

    def refuse(*_: object) -> NoReturn:
        # Its entities could make any number of characters of a short file.
        raise at_line(parser.CurrentLineNumber, "XML with a DOCTYPE is not read")

    parser.StartElementHandler = start
    parser.CharacterDataHandler = written
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    is_final = True
    try:
        parser.Parse(text, is_final)
    except expat.ExpatError as error:
        if error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
            return []  # Nothing but comments.
        raise at_line(error.lineno, f"not XML: {expat.ErrorString(error.code)}") from error
    return entries
