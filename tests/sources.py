"""Source texts in every language that is scanned."""

from collections.abc import Iterator

from corpora import cases
from hashcost.core.units import format_setting
from hashcost.source_code.costs import SetCost
from hashcost.source_code.matching import Matches
from hashcost.source_code.rules import LANGUAGES, Language, Rule, load_language

_IN_METHOD = {"java", "csharp"}
_LINE_COMMENTS = {"python": "#", "ruby": "#", "elixir": "#"}
_NO_BLOCK_COMMENTS = {"python", "ruby", "elixir"}


def rules() -> Iterator[tuple[Language, Rule]]:
    """Every rule with its language."""
    for name in LANGUAGES:
        language = load_language(name)
        for rule in language.rule:
            yield language, rule


def program(language: str, statement: str) -> str:
    """A whole file around one statement."""
    if language == "kotlin":
        statement = statement.replace("new ", "").replace(" << ", " shl ").replace("; ", "\n")
        return f"fun f() {{\n {statement.rstrip(';')}\n}}\n"
    if language == "php":
        return f"<?php\n{statement}\n"
    if language == "go":
        return f"package a\nfunc f() {{\n {statement}\n}}\n"
    if language in _IN_METHOD:
        return f"class A {{ void F() {{\n {statement}\n}} }}\n"
    return f"{statement}\n"


def commented(language: str, text: str) -> Iterator[str]:
    """The text in every kind of comment that the language has, in a whole file."""
    flat = text.replace("\n", " ")
    mark = _LINE_COMMENTS.get(language, "//")
    if language == "kotlin":
        yield f"fun f() {{\n // {flat.replace('new ', '')}\n}}\n"
        yield f"/* {flat.replace('new ', '')} */\n"
        return
    yield program(language, f"{mark} {flat}\n")
    if language == "php":
        yield program(language, f"# {flat}\n")
        yield f"<p>{flat}</p>\n<?php f(); ?>\n{flat}\n"
    if language == "ruby":
        yield f"=begin\n{text}\n=end\n"
    if language == "rust":
        yield f"/// {flat}\nfn g() {{}}\n"
    if language not in _NO_BLOCK_COMMENTS:
        yield program(language, f"/* {text.replace('*/', '')} */")


def quoted(language: str, text: str) -> Iterator[str]:
    """The text in every kind of string that the language has, in a whole file."""
    flat = text.replace("\n", " ").replace("\\", "\\\\")
    double = flat.replace('"', '\\"')
    texts = {
        "text": text,
        "flat": flat,
        "double": double,
        "single": flat.replace("'", "\\'"),
        "dollar": double.replace("$", "\\$"),
        "bare": text.replace("$", ""),
        "doubled": text.replace('"', '""'),
    }
    literals = [
        each.format(**texts) for each in cases(__file__, "sources.toml", "strings")[language]
    ]
    for literal in literals:
        yield literal + "\n" if language in {"rust", "kotlin"} else program(language, literal)


def told(matches: Matches) -> list[str]:
    """Every cost with its line, those that are not told with a question mark, and why."""
    costs = [
        (f"{row.hasher} {format_setting(row.params)}", row)
        if isinstance(row, SetCost)
        else (f"{row.hasher} ?", row)
        for row in (*matches.costs, *matches.unknown)
    ]
    return [
        f"{cost} @{row.line}{' in tests' * row.in_tests}{row.why and f': {row.why}'}"
        for cost, row in costs
    ]
