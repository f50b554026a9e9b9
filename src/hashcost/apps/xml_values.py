"""XML: the attributes and the texts of elements, each with its line; nothing is expanded."""

from dataclasses import dataclass
from typing import NoReturn
from xml.parsers import expat

from hashcost.apps.text import Entry
from hashcost.core.errors import at_line


@dataclass(frozen=True)
class Element:
    """An element: each attribute is an entry ``name.attribute``, and each text is ``name``.

    The line of an entry is that on which the element begins. ``within`` is the place of the
    element around it among all of the file, `None` for the outermost.
    """

    name: str
    within: int | None
    line: int
    entries: list[Entry]


def xml_values(text: str) -> list[Entry]:
    """List each attribute as ``Element.attribute``, and each text as ``Element``.

    Raises:
        UnreadableInputError: see `xml_elements`.
    """
    return [entry for element in xml_elements(text) for entry in element.entries]


def xml_elements(text: str) -> list[Element]:
    """List the elements in the order in which they begin.

    Raises:
        UnreadableInputError: it begins as XML does but is not XML, or has a DOCTYPE.
    """
    # An application may take another language instead, which another table reads.
    if not text.lstrip().startswith("<"):
        return []
    elements: list[Element] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    begun: list[tuple[int, int]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        within = None
        if begun:
            within, _ = begun[-1]
        line = parser.CurrentLineNumber
        begun.append((len(elements), line))
        entries = []
        for attribute, value in attributes.items():
            entries.append(Entry(f"{name}.{attribute}", value, line))
        elements.append(Element(name, within, line, entries))

    def written(data: str) -> None:
        if data.strip():
            place, line = begun[-1]
            element = elements[place]
            element.entries.append(Entry(element.name, data.strip(), line))

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
    return elements
