"""Python in the syntax of a later release than the one that reads it."""

from typing import Final

_PARTS: Final = ("string", "concatenated_string")
_TYPES: Final = ("type_parameter",)
_ALIAS: Final = ("type_alias_statement",)


def in_older_syntax(text: str) -> str:
    """Take out what sets no cost and this Python cannot read, on as many lines.

    A formatted text of Python 3.12 may repeat its own quotes and becomes a name (PEP 701); type
    parameters and aliases go (PEP 695). Without the grammars the text stays as it is.
    """
    try:
        from ast_grep_py import SgRoot
    except ImportError:
        return text
    root = SgRoot(text, "python").root()
    nodes = root.find_all(
        {"rule": {"any": [{"kind": kind} for kind in (*_PARTS, *_TYPES, *_ALIAS)]}}
    )
    older = []
    end = 0
    # A node stands in front of those that are within it.
    for node in nodes:
        place = node.range()
        if place.start.index < end:
            continue
        lines = "\n" * node.text().count("\n")
        if node.kind() in _TYPES:
            instead = lines
        elif node.kind() in _ALIAS:
            instead = f"pass{lines}"
        elif node.find(kind="interpolation") is not None:
            instead = f"(formatted{lines})"
        else:
            continue
        older += [text[end : place.start.index], instead]
        end = place.end.index
    return "".join([*older, text[end:]])
