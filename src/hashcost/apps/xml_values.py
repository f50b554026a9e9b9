"""XML: the attributes and the texts of elements, each with its line; nothing is expanded."""

from dataclasses import replace
from itertools import count
from typing import NoReturn
from xml.parsers import expat

from hashcost.apps.text import Entry
from hashcost.core.errors import at_line


def xml_values(text: str, apart: str = "") -> list[Entry]:
    """List each attribute as ``Element.attribute``, and each text as ``Element``.

    The line is that on which the element begins. The section is the number of the innermost
    element of the name ``apart`` that an entry is in, "" outside of all.

    Raises:
        UnreadableInputError: it begins as XML does but is not XML, or has a DOCTYPE.
    """
    # An application may take another language instead, which another table reads.
    if not text.lstrip().startswith("<"):
        return []
    entries = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    begun = [Entry("", "", 0)]
    numbers = count(1)

    def start(name: str, attributes: dict[str, str]) -> None:
        section = begun[-1].section
        if name == apart:
            section = str(next(numbers))
        element = Entry(name, "", parser.CurrentLineNumber, section)
        begun.append(element)
        for attribute, value in attributes.items():
            entries.append(replace(element, name=f"{name}.{attribute}", value=value))

    def written(data: str) -> None:
        if data.strip():
            entries.append(replace(begun[-1], value=data.strip()))

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
