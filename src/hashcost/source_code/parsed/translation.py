"""From the syntax trees of ast-grep to expressions of Python, which the evaluator reads.

Most languages write an expression alike, so its text and the number of its parts say what
it is; kinds of node are asked only where they do not.
"""

from __future__ import annotations

import ast
import contextlib
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from hashcost.source_code.rules import Language
from hashcost.source_code.stages import DeploymentStage, stage_of
from hashcost.source_code.values import SPREAD

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_SHOWN: Final = 200  # characters of an expression that may be shown
_NUMBER: Final = re.compile(
    r"(?P<digits>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?!0[0-9])[0-9][0-9_']*)"
    r"(?:[eE](?P<zeros>[0-9]{1,2}))?(?:[uUlL]{1,2}|_?[iu](?:8|16|32|64|128|size)|n)?"
)
"""A whole number; one that begins with 0 is octal in some languages, and no cost is."""
_TEXT: Final = re.compile(
    r"""'(?P<single>(?:(?!\#\{)[^'"`\\])*)'|"(?P<double>[^'"`\\]*)"|`(?P<back>[^'"`\\]*)`"""
    r"""|:(?P<atom>\w+)"""
)
_INSERTS: Final = re.compile(r"[#$]\{")
"""Where a value begins that is put into a text, which only double quotes allow."""
_INSERTS_NAMES: Final = re.compile(r"\{?\$(?=[A-Za-z_{])")
_BODY: Final = re.compile(
    r"block|statement|body|return|jump|^(?:arrow_.*|expression_list|keywords|pair)$"
)
_RETURN: Final = re.compile(r"\breturn\b")
_NAMES_IN_TEXT: Final = ("php", "kotlin")
_WORDS: Final = {
    **dict.fromkeys(("null", "NULL", "nil", "None", "undefined"), "None"),
    "true": "True",
    "TRUE": "True",
    "false": "False",
    "FALSE": "False",
}
_OWN: Final = re.compile(
    r"(?:(?:self|this|\$this|static|Self|cls|super)(?:\.|::|\?->|->)#?)?[$@]{0,2}(?P<name>[^\W\d]\w*)"
)
_SELVES: Final = frozenset({"self", "this"})
_WRAPS: Final = frozenset({"Value", "CurrentValue"})
_DOTTED: Final = re.compile(
    r"\\?[$@]{0,2}[^\W\d]\w*+(?:(?:\?\.|\?->|\.|::|->|\\)[$#]?\w++[?!]?+)++"
)
_DOT: Final = re.compile(r"\?\.|\?->|\.|::|->|\\")
_SUBSCRIPT: Final = re.compile(
    r"""(?P<base>.+)\[\s*(?:['"](?P<key>[\w:]+)['"]|:(?P<symbol>\w+))\s*\]""", re.DOTALL
)
_BRACKETS: Final = re.compile(r"[\s'\"`()]|^:")
_GENERIC: Final = re.compile(r"(?:::)?<[^<>()]*>$")
_MANY: Final = re.compile(r"splat|spread|variadic|base_field")
_FUNCTIONS: Final = re.compile(r"function|arrow|lambda|closure")
_MEMBERS: Final = re.compile(r"member|navigation|selector|field_|scoped|^call$|^dot$")
_TERNARIES: Final = re.compile(r"^(?:ternary_expression|conditional(?:_expression)?)$")
_CONDITIONALS: Final = re.compile(r"^(?:if|unless)(?:_statement|_expression|_modifier)?$")
"""The kinds of node whose parts run by a condition: statements, which may be expressions."""
_CHOICE: Final = re.compile(r"^(?:match_expression|when_expression|switch_expression|case)$")
"""The kinds of node that choose a value by comparing another with several."""
_ARM: Final = re.compile(
    r"^(?:match_(?:conditional|default)_expression|match_arm|when|when_entry|else"
    r"|switch_expression_arm|switch_rule)$"
)
"""The kinds of node that hold one of the values, with what it stands for."""
_CHOICES: Final = re.compile(rf"{_CHOICE.pattern}|^(?:expression_)?switch_statement$")
"""All kinds of node that choose, including those whose arms are statements."""
_CASE: Final = re.compile(
    rf"{_ARM.pattern}|^(?:switch_(?:case|default|section|block_statement_group)"
    r"|(?:case|default)_statement|(?:expression|default)_case)$"
)
"""The arms of all these kinds."""
_ASKED_BY_ARM: Final = re.compile(r"pattern|condition|label|^expression_list$")
_HOLDS_ARMS: Final = re.compile(r"block$|^switch_body$")
_ANYTHING: Final = frozenset({"_", "default", "else"})
_OTHERWISE: Final = re.compile(r"^else")
_MACRO: Final = "macro_invocation"
_ASKS_COMPILER: Final = "cfg!("
"""The beginning of a question of Rust about its compilation: ``cfg!(test)``."""
_IS_GIVEN: Final = re.compile(r"(?<![=!])=(?!=)")
_CAST_LAST: Final = "cast_expression"
_MARKED: Final = frozenset({"reference_expression", "unsafe_block", "const_block"})
"""Expressions of Rust that have the value of their last part: a reference that may be changed, or
what is unsafe or constant, such as ``unsafe { NonZeroU32::new_unchecked(9) }``."""
_ARRAY: Final = "array_expression"
_FIELD_NAME: Final = "field_identifier"
REPEATED: Final = "repeated_"
"""Stands for a function that makes an array of a value and a count: Rust's ``[0u8; 32]``."""
_CASTS: Final = frozenset(
    {"as_expression", "type_cast_expression", "satisfies_expression", "non_null_expression"}
)
_BEFORE: Final = {
    **dict.fromkeys(("", "(", "{", "await", "&", "*", "&mut"), ""),
    **dict.fromkeys(("then", "else", "else {", "do"), ""),
    "!": "not ",
    "not": "not ",
    "-": "-",
    "+": "+",
}
"""Signs in front of the only part of an expression, in Python."""
_AFTER: Final = frozenset({"", ")", "}", "!", "!!", "end"})
_STATEMENTS: Final = "statements"
"""The kind of node of a block of Kotlin, which returns nothing by its last statement."""
_LISTS: Final = frozenset({"literal_value", "keywords", "field_initializer_list"})
_WRAPPERS: Final = frozenset({"argument", "value_argument"})
_OPERATORS: Final = {
    **{sign: sign for sign in ("+", "-", "*", "**", "<<", "in", "<", ">")},
    **dict.fromkeys(("==", "===", "is"), "=="),
    **dict.fromkeys(("!=", "!==", "<>"), "!="),
    **dict.fromkeys(("or", "||", "??", "?:"), "or"),
    **dict.fromkeys(("and", "&&"), "and"),
    "shl": "<<",
}
_OPAQUE: Final = re.compile(r"opaque_[0-9]+_")


class Conditional(NamedTuple):
    """A condition with its two branches, which ``is_negated`` swaps."""

    test: SgNode
    body: SgNode
    otherwise: tuple[SgNode, ...]
    is_negated: bool


def start_of(node: SgNode) -> int:
    """Tell where a node begins in the text."""
    return int(node.range().start.index)


def choice_around(arm: SgNode) -> SgNode | None:
    """Find the choice of which a node is an arm; ``None`` for any other node."""
    choice = arm.parent()
    if not _CASE.match(arm.kind()) or choice is None:
        return None
    if not _CHOICES.match(choice.kind()):  # The arms may be in a block.
        choice = choice.parent()
    if choice is None or not _CHOICES.match(choice.kind()):
        return None
    return choice


def arms_of(choice: SgNode) -> Iterator[tuple[SgNode, Sequence[SgNode]]]:
    """List the arms of a choice with the values for which each runs.

    The arm for anything else has no values.
    """
    values: list[SgNode] = []
    for arm in _parts_of_choice(choice):
        if not _CASE.match(arm.kind()):
            continue
        asked = _values_of_arm(arm)
        values += asked
        # An arm without statements runs those of the next one.
        if len(children(arm)) > 1 or not asked:
            yield arm, values
            values = []


def _values_of_arm(arm: SgNode) -> list[SgNode]:
    """List the values for which an arm runs; none for that which runs for anything else."""
    parts = children(arm)
    asked = [part for part in parts if _ASKED_BY_ARM.search(part.kind())]
    if not asked and arm.kind() in {"switch_case", "case_statement"}:
        asked = parts[:1]
    values = [value for part in asked for value in _patterns_in(part)]
    return [value for value in values if value.text() not in _ANYTHING]


def conditional_in(node: SgNode) -> Conditional | None:
    """Read a conditional statement or expression; ``None`` for any other node."""
    kind = node.kind()
    if kind == "call":
        return _conditional_of_elixir(node)
    if not (_CONDITIONALS.match(kind) or _TERNARIES.match(kind)):
        return None
    parts = children(node)
    test = node.field("condition")
    # A modifier of Ruby stands behind what it is about.
    if test is None and kind.endswith("_modifier"):
        test = parts[-1]
    elif test is None:
        test = parts[0]
    body = node.field("consequence") or node.field("body")
    others = [part for part in parts if part.range() != test.range()]
    # An initializer of Go may stand before the condition, so the place is no sign there.
    if body is None and not node.field("alternative"):
        body = next(iter(others), None)
    if body is None:  # ``given ?: 12`` of PHP has only what is taken otherwise.
        return None
    otherwise = [part for part in others if part.range().start.index > body.range().start.index]
    return Conditional(test, body, tuple(otherwise), kind.startswith("unless"))


def _conditional_of_elixir(call: SgNode) -> Conditional | None:
    """Read ``if test, do: 4, else: 12`` and ``if test do 4 else 12 end``."""
    name, *parts = children(call)
    if name.text() not in ("if", "unless") or not parts:
        return None
    given = [*children(parts[0]), *parts[1:]]
    if not given:
        return None
    test, *parts = given
    branches = []
    for part in parts:
        below = children(part)
        if part.kind() == "keywords":
            branches += [children(pair)[-1] for pair in below if len(children(pair)) == 2]
        elif below and _OTHERWISE.match(below[-1].kind()):
            branches += [*below[:-1], below[-1]]
        else:
            branches.append(part)
    if not branches:
        return None
    return Conditional(test, branches[0], tuple(branches[1:]), name.text() == "unless")


def asked_of_compiler(predicate: str) -> str:
    """Write what Rust asks about a compilation in Python: ``any(test, feature = "e2e")``.

    Return an empty text for what cannot be read.
    """
    try:
        asked = ast.parse(_IS_GIVEN.sub("==", predicate.strip()), mode="eval").body
    except SyntaxError:
        return ""
    return _asked_in_python(asked)


def _macro(text: str) -> str | None:
    """Write a macro of Rust in Python, if it asks about the compilation."""
    if not text.startswith(_ASKS_COMPILER):
        return None
    return asked_of_compiler(text.removeprefix(_ASKS_COMPILER).removesuffix(")"))


def _asked_in_python(asked: ast.expr) -> str:
    match asked:
        case ast.Call(func=ast.Name(id="any"), args=parts):
            return f"({' or '.join(map(_asked_in_python, parts))})"
        case ast.Call(func=ast.Name(id="all"), args=parts):
            return f"({' and '.join(map(_asked_in_python, parts))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"(not {_asked_in_python(operand)})"
        case ast.Name(id=name) | ast.Compare(comparators=[ast.Constant(value=str(name))]):
            return f"cfg({name!r})"
        case _:
            return "cfg('')"


def children(node: SgNode) -> list[SgNode]:
    """List the named children, without comments."""
    return [child for child in node.named_children() if "comment" not in child.kind()]


def without_brackets(text: str) -> str:
    """Take a word without the quotes, the brackets and the blanks around it."""
    return _BRACKETS.sub("", text)


def of_kinds(root: SgNode, kinds: tuple[str, ...]) -> list[SgNode]:
    """Find every node below one that is of one of these kinds."""
    if not kinds:
        return []
    return root.find_all({"rule": {"any": [{"kind": kind} for kind in kinds]}})


def only_expression(body: SgNode) -> SgNode | None:
    """Find the expression that a body returns; ``None`` if it has more than that."""
    while _BODY.search(body.kind()):
        below = children(body)
        if body.kind() == "pair":
            below = below[1:]
        if len(below) != 1:
            return None
        body = below[0]
    return body


def returned_by(body: SgNode) -> SgNode | None:
    """Find the expression that a body consists of, or that its only ``return`` ends it with."""
    result = only_expression(body)
    statements = children(body)
    returns = _RETURN.findall(body.text())
    if result is not None or len(statements) < 2 or len(returns) != 1:
        return result
    last = statements[-1]
    parts = children(last)
    if not _RETURN.match(last.text()) or len(parts) != 1:
        return None
    return parts[0]


def last_expressions(function: SgNode, kinds: tuple[str, ...]) -> Iterator[SgNode]:
    """Find the expressions of which one is the result of a function, as its last.

    They may be inside of nodes of these ``kinds``; what ends with a semicolon is a statement.
    """
    pending = children(function)[-1:]
    for node in pending:  # Grows while it is read.
        parts = children(node)
        if _CONDITIONALS.match(node.kind()) or _CHOICES.match(node.kind()):
            pending += parts[1:]
        elif node.kind() not in kinds and node.kind() != _STATEMENTS:
            yield node
        elif node.kind() in kinds and not node.text().endswith(";"):
            pending += parts[-1:]


def fields_of_records(root: SgNode, records: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """List the fields of each record that a file declares, in their order.

    A record is left out if it has a part without a name, such as an embedded field of Go.
    """
    fields = {}
    for declared in of_kinds(root, records):
        names = []
        is_plain = True
        body = children(declared)[-1]
        for field in (part for block in children(body) for part in children(block)):
            of_field = [part.text() for part in children(field) if part.kind() == _FIELD_NAME]
            is_plain = is_plain and bool(of_field)
            names += of_field
        name = declared.field("name")
        if name is not None and names and is_plain:
            fields[name.text()] = tuple(names)
    return fields


def declared_type(made: SgNode) -> str:
    """Find the type that a declaration gives what it is given: ``Limits limits = new(9);``.

    Return an empty text without one.
    """
    for around in made.ancestors()[:2]:
        declared = around.field("type")
        if declared is not None:
            return str(declared.text())
    return ""


class Translation:
    """Translates the expressions of one file.

    The file declares some ``types``, of which ``fields`` tells the fields of records.
    """

    def __init__(
        self, language: Language, types: frozenset[str], fields: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._language = language
        self._grammar = language.grammar
        self._types = types
        self._fields = fields
        self.opaque: dict[str, str] = {}
        """The names that stand for what is not followed, with its text."""

    def expression(self, node: SgNode, line: int) -> ast.expr:
        """Translate the expression that begins on a line."""
        return self._parsed(self._text(node), line)

    def call(self, arguments: SgNode | None, line: int) -> ast.Call:
        """Translate a call with these arguments; its function is named elsewhere."""
        given = ""
        if arguments is not None:
            given = self._given(arguments)
        call = self._parsed(f"_({given})", line)
        if arguments is not None and not isinstance(call, ast.Call):
            call = self._parsed(f"_(**{self._unfollowed(arguments.text())})", line)
        assert isinstance(call, ast.Call)  # noqa: S101 - as it was put together
        return call

    def written(self, expression: ast.expr) -> str:
        """Write an expression as a message shows it."""
        return _OPAQUE.sub(lambda name: self.opaque.get(name[0], ""), ast.unparse(expression))

    def _parsed(self, text: str, line: int) -> ast.expr:
        try:
            tree = ast.parse(text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = ast.parse(self._unfollowed(text), mode="eval")
        return ast.increment_lineno(tree, line - 1).body

    def _unfollowed(self, text: str) -> str:
        """Make a name for an expression that is not followed."""
        name = f"opaque_{len(self.opaque)}_"
        self.opaque[name] = text[:_SHOWN]
        return name

    def _text(self, node: SgNode) -> str:
        """Write an expression in Python."""
        text = node.text().strip()
        if not text:  # A part that is missing.
            return self._unfollowed(text)
        python = None
        # A chain of hundreds of calls or signs: what is at its inner end is not followed.
        with contextlib.suppress(RecursionError):
            python = self._followed(node, text)
        return python or self._unfollowed(text)

    def _followed(self, node: SgNode, text: str) -> str | None:
        """Write an expression in Python; ``None`` if it is of no kind that is followed."""
        kind = node.kind()
        if kind in self._grammar.maps:
            return self._mapping(node)
        parts = children(node)
        if kind in _CASTS:
            return self._text(parts[0])
        if _FUNCTIONS.search(kind) and kind not in self._grammar.calls:
            return f"(lambda: {self._unfollowed(text)})"
        plain = self._name(text) or self._literal(text)
        if plain or not parts:
            return plain
        if _CHOICE.match(kind):
            return self._choice(node)
        conditional = conditional_in(node)
        if conditional is not None and len(conditional.otherwise) == 1:
            return self._chosen(conditional)
        if kind == _MACRO:
            return _macro(text)
        if kind in self._grammar.calls:
            return self._registered(parts) or self._called(node, parts, text)
        if kind in _MARKED:
            return self._text(parts[-1])
        if kind == _ARRAY and len(parts) == 2 and ";" in text:
            return f"{REPEATED}({self._text(parts[0])}, {self._text(parts[1])})"
        if len(parts) == 1:
            return self._signed(parts[0], text)
        if kind == _CAST_LAST:
            return self._text(parts[-1])
        return self._operation(node, parts[0], parts[-1]) or self._member(node, text)

    def _choice(self, node: SgNode) -> str | None:
        """Write a choice between several values as conditions, that of production first."""
        parts = list(_parts_of_choice(node))
        arms = [part for part in parts if _ARM.match(part.kind())]
        about = ""
        if arms and parts[0] is not arms[0]:
            about = f"{self._text(parts[0])} == "
        chosen = self._unfollowed(node.text())
        first = []
        others = []
        for arm in arms:
            *asked, value = children(arm)
            if value.kind() == "expression_statement":  # Of Java.
                value = children(value)[0]
            patterns = [pattern for part in asked for pattern in _patterns_in(part)]
            if all(pattern.text() in _ANYTHING for pattern in patterns):
                chosen = self._text(value)
                continue
            tests = [self._test_of_arm(about, pattern) for pattern in patterns]
            condition = " or ".join(tests)
            branch = f"({self._text(value)} if {condition} else "
            if stage_of(self._parsed(condition, 1)) is DeploymentStage.PRODUCTION:
                first.append(branch)
            else:
                others.append(branch)
        branches = [*first, *others]
        if not branches:
            return None
        return f"{''.join(branches)}{chosen}{')' * len(branches)}"

    def _test_of_arm(self, about: str, pattern: SgNode) -> str:
        """Write when an arm of a choice counts; only its own words may speak of a stage."""
        test = self._text(pattern)
        if about and stage_of(self._parsed(test, 1)) is DeploymentStage.UNKNOWN:
            return self._unfollowed(f"{about}{pattern.text()}")
        return f"({about}{test})"

    def _chosen(self, conditional: Conditional) -> str:
        """Write a conditional expression in Python."""
        test = self._text(conditional.test)
        body = self._text(conditional.body)
        otherwise = self._text(conditional.otherwise[0])
        if conditional.is_negated:
            body, otherwise = otherwise, body
        return f"({body} if {test} else {otherwise})"

    def _mapping(self, node: SgNode) -> str:
        mapping = "{"
        line = first = node.range().start.line
        for key, value, at in self._named_entries(node):
            # Each value stays on its line.
            mapping += "\n" * (at - line)
            if key == SPREAD:
                mapping += f"**{value}, "
            elif key:
                mapping += f"{key!r}: {value}, "
            line = first + mapping.count("\n")
        return mapping + "}"

    def _named_entries(self, node: SgNode) -> list[tuple[str, str, int]]:
        """List the entries of a mapping; those of a record are in the order of its fields."""
        entries = list(self._entries(node))
        if not (self._fields and entries):
            return entries
        # The type stands before the values.
        of_type, *values = entries
        fields = self._fields.get(children(node)[0].text(), ())
        if len(fields) != len(values) or any(key for key, _, _ in values):
            return entries
        named = [
            (field, value, line) for field, (_, value, line) in zip(fields, values, strict=True)
        ]
        return [of_type, *named]

    def _signed(self, part: SgNode, text: str) -> str | None:
        """Write the only part of an expression with what stands before it, such as ``not``."""
        before, _, after = text.partition(part.text() or text)
        sign = _BEFORE.get(before.strip())
        if sign is None or after.strip() not in _AFTER:
            return None
        return f"({sign}{self._text(part)})"

    def _operation(self, node: SgNode, left: SgNode, right: SgNode) -> str | None:
        between = _between(node, left, right)
        if between == "|>":  # Of Elixir: the left side is the first argument.
            function, _, rest = self._text(right).partition("(")
            return f"{function}({self._text(left)}, {rest or ')'}"
        sign = _OPERATORS.get(between)
        if between == "." and self._language.language == "php":
            sign = "+"
        if sign is None:
            return None
        # In brackets, since languages bind operators differently and the grammar has decided.
        return f"({self._text(left)} {sign} {self._text(right)})"

    def _literal(self, text: str) -> str | None:
        """Write a number, a text or a word such as ``nil`` in Python."""
        number = _NUMBER.fullmatch(text)
        if number is not None:
            digits = number["digits"].replace("_", "").replace("'", "")
            zeros = int(number["zeros"] or 0)
            try:
                return str(int(digits, 0) * 10**zeros)
            except ValueError:
                # A zero before decimal digits, which languages read differently, or thousands
                # of digits.
                return None
        # A dollar sign that is escaped begins no variable.
        if self._language.language == "php" and text.startswith('"'):
            text = text.replace("\\$", "\0")
        quoted = _TEXT.fullmatch(text)
        if quoted is None:
            return _WORDS.get(text)
        plain = quoted["single"] or quoted["atom"]
        if plain:
            return repr(plain)
        inserts = _INSERTS
        if self._language.language in _NAMES_IN_TEXT:
            inserts = _INSERTS_NAMES
        head, *rest = inserts.split(quoted["double"] or quoted["back"] or "", maxsplit=1)
        head = head.replace("\0", "$")
        if not rest:
            return repr(head)
        # The beginning of a text may name the method of a salt.
        if head:
            return f"({head!r} + {self._unfollowed(text)})"
        return None

    def _name(self, text: str) -> str | None:
        """Write a name, maybe dotted, in Python."""
        own = _OWN.fullmatch(text)
        if own is not None and text not in _WORDS:
            names = [own["name"]]
        elif _DOTTED.fullmatch(text):
            parts = _DOT.split(text.removeprefix("\\"))
            names = [part.strip("$@#?!") for part in parts]
            # .NET wraps the options that it fills: ``options.Value.Cost``.
            if self._language.language == "csharp" and not _WRAPS.isdisjoint(names[1:-1]):
                names = [name for name in names if name not in _WRAPS]
            # What an object has is found by its own name, as far as the file gives it one.
            if names[0] in _SELVES and len(names) > 2:
                names = names[1:]
            # A constant of a class of the file is found by its own name.
            if len(names) == 2 and names[0] in self._types:
                names = names[1:]
        else:
            return None
        if all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
            return ".".join(names)
        return None

    def _member(self, node: SgNode, text: str) -> str | None:
        subscript = _SUBSCRIPT.fullmatch(text)
        if subscript is not None:
            written = subscript["base"].strip()
            base = self._name(written)
            holder = children(node)[0]
            # Only the call of a function can be asked, too: ``config.GetSection("Auth")["Cost"]``.
            if base is None and holder.kind() in self._grammar.calls and holder.text() == written:
                base = self._text(holder)
            if base is None:
                return None
            return f"{base}[{subscript['key'] or subscript['symbol']!r}]"
        if not _MEMBERS.search(node.kind()):
            return None
        first, *_, last = children(node)
        *_, end = _DOT.split(last.text())
        name = self._name(_GENERIC.sub("", end))
        if name is None:
            return None
        return f"{self._text(first)}.{name}"

    def _called(self, node: SgNode, parts: list[SgNode], text: str) -> str | None:
        arguments = parts[-1]
        *before, default = parts
        # A block gives the default of Ruby's ``fetch("COST") { 12 }``.
        if len(before) > 1 and default.kind() == "block" and before[-2].text() == "fetch":
            parts = before
            arguments = before[-1]
        if arguments.kind() == "call_suffix":
            arguments = next(iter(children(arguments)), arguments)
        if arguments.kind() not in self._grammar.arguments:
            if len(parts) == 1:
                return None
            return self._member(node, text)
        # Arguments may have the text of the name in them, so they are looked for from the end.
        named = text[: text.rfind(parts[-1].text())].removeprefix("new ").strip()
        if named == "new":  # Of the type that is declared, in C#.
            named = declared_type(node)
        function = self._name(_GENERIC.sub("", named))
        if function is None:  # A method of what another expression makes.
            function = self._text(parts[0])
            if len(parts) > 2:
                member = self._name(parts[-2].text())
                if member is None:
                    return None
                function = f"{function}.{member}"
        given = self._given(arguments)
        if parts is before:
            given = f"{given}, {self._text(default)}"
        return f"{function}({given})"

    def _registered(self, parts: list[SgNode]) -> str | None:
        """Write what a call registers: ``registerAs("auth", () => ({ rounds: 12 }))``."""
        if parts[0].text() not in self._language.dialect.registers:
            return None
        given = children(parts[-1])
        if len(given) < 2 or not _FUNCTIONS.search(given[-1].kind()):
            return None
        result = returned_by(children(given[-1])[-1])
        if result is None:
            return None
        # It stays on its line.
        before = "\n" * (result.range().start.line - parts[0].range().start.line)
        return f"({before}{self._text(result)})"

    def _given(self, arguments: SgNode) -> str:
        """Write arguments in Python, those with a name last."""
        positional = []
        named = []
        for key, value, _ in self._entries(arguments):
            if key == "":
                positional.append(value)
            elif key == SPREAD:
                named.append(f"**{value}")
            else:  # The name may be none in Python.
                named.append(f"**{{{key!r}: {value}}}")
        return ", ".join([*positional, *named])

    def _entries(self, node: SgNode) -> Iterator[tuple[str, str, int]]:
        """List the values of arguments or of a mapping with their keys, if any, and lines."""
        for part in _flat(node):
            kind = part.kind()
            line = part.range().start.line
            below = children(part)
            is_wrapped = kind in _WRAPPERS and len(below) > 0
            is_pair = kind in self._grammar.pairs and len(below) > 1
            # Some grammars have a named argument as two parts of an argument.
            if is_wrapped and len(below) > 1:
                is_pair = is_pair or _between(part, below[0], below[-1]) in {":", "="}
            spreads = [part]
            if kind in self._grammar.pairs or kind in _WRAPPERS:
                spreads += below[:1]
            many = next((node for node in spreads if _MANY.search(node.kind())), None)
            if many is not None:
                yield SPREAD, self._spread(many), line
            elif is_pair:
                key = without_brackets(below[0].text()).strip(":").strip()
                value = below[-1]
                if value.kind() == "literal_element" and children(value):
                    value = children(value)[0]
                yield key, self._text(value), line
            elif kind == "shorthand_property_identifier":
                yield part.text(), self._text(part), line
            elif is_wrapped:
                yield "", self._text(below[-1]), line
            else:
                yield "", self._text(part), line

    def _spread(self, node: SgNode) -> str:
        """Write what is spread into arguments or a mapping."""
        spread = children(node)
        if len(spread) == 1:
            return self._text(spread[0])
        return self._unfollowed(node.text())


def _parts_of_choice(node: SgNode) -> Iterator[SgNode]:
    """List what a choice is about, and its arms, which may be in a block."""
    for part in children(node):
        if _HOLDS_ARMS.search(part.kind()):
            yield from children(part)
        else:
            yield part


def _patterns_in(node: SgNode) -> Iterator[SgNode]:
    """List what an arm of a choice stands for."""
    below = children(node)
    if below and _ASKED_BY_ARM.search(node.kind()):
        for part in below:
            yield from _patterns_in(part)
    else:
        yield node


def _between(node: SgNode, first: SgNode, last: SgNode) -> str:
    """Take what is written between the first and the last part of a node."""
    text = node.text().strip()
    left = first.text()
    right = last.text()
    if not text.startswith(left) or not text.endswith(right):
        return ""
    return text[len(left) : len(text) - len(right)].strip()


def _flat(node: SgNode) -> Iterator[SgNode]:
    """List the children of a node, and for lists among them their own."""
    for child in children(node):
        if child.kind() in _LISTS:
            yield from children(child)
        else:
            yield child
