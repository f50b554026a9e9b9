"""Filters in the Jinja templates of YAML files, with the arguments that the file has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from hashcost.apps.text import line_at
from hashcost.apps.yaml_values import Scalar, values
from hashcost.core.errors import UnreadableInputError, at_line
from hashcost.core.text import printable
from hashcost.storage.extras import imported

if TYPE_CHECKING:
    from jinja2 import Environment, nodes

_Variables: TypeAlias = Mapping[str, Scalar]

_MARKS: Final = ("{{", "{%", "{#")
"""A value without them is text, or, as in ``when``, a bare expression."""


@dataclass(frozen=True)
class Argument:
    """An argument of a filter: its text, as far as the file tells, and its line.

    ``variable`` is what it depends on; without a text, the file does not set it.
    """

    text: str | None
    line: int
    variable: str = ""


@dataclass(frozen=True)
class Filter:
    """The use of a filter, and its arguments."""

    arguments: Mapping[str | int, Argument]
    """The arguments by name, or by place from 0."""
    line: int
    is_spread: bool = False
    """Whether further arguments are in a list or a mapping, as ``*these`` or ``**those``."""

    def argument(self, name: str, position: int) -> Argument | None:
        """The argument of a name, which may be given by its position."""
        return self.arguments.get(name, self.arguments.get(position))


def filters(text: str, name: str) -> Iterator[Filter]:
    """Every use of a filter in the order of the file; text that is not YAML is one template.

    Raises:
        UnreadableInputError: the text uses the filter in broken Jinja.
        UnavailableError: Jinja or ruamel.yaml is not installed.
    """
    try:
        scalars = values(text)
    except UnreadableInputError:
        # A file of ``templates/`` may be YAML only once it is rendered.
        scalars = (Scalar(path=(), text=text, line=1, span=(0, len(text))),)
    used = {scalar.span: scalar for scalar in scalars if scalar.wins}
    variables = {str(scalar.path[-1]): scalar for scalar in used.values() if scalar.path}
    imported("jinja2", "Jinja", "apps")
    from jinja2 import Environment

    # Ansible's extensions. Templates are parsed and never rendered.
    extensions = ["jinja2.ext.do", "jinja2.ext.loopcontrols"]
    environment = Environment(autoescape=True, extensions=extensions)
    for scalar in used.values():
        if name in scalar.text:
            yield from _filters(environment, text, scalar, name, variables)


def _filters(
    environment: Environment, text: str, value: Scalar, name: str, variables: _Variables
) -> Iterator[Filter]:
    from jinja2 import TemplateSyntaxError, nodes

    start, end = value.span
    written = text[start:end]  # As it stands in the file, so that lines can be counted.
    if value.quoted and written.endswith("'"):
        written = written.replace("''", "'")
    elif value.quoted:
        written = written.replace('\\"', '"')
    is_template = any(mark in written for mark in _MARKS)
    above = line_at(text, start) - 1
    if not is_template:
        # A bare expression, as in ``when``.
        written = f"{{{{ {value.text} }}}}"
    try:
        template = environment.parse(written)
        used = list(template.find_all(nodes.Filter))
    except (TemplateSyntaxError, RecursionError, ValueError) as error:
        if not is_template:
            return
        line = above + getattr(error, "lineno", 1)
        why = printable(getattr(error, "message", None) or "beyond any template")[:160]
        raise at_line(line, f"not Jinja: {why}") from error
    for node in used:
        called = node.name
        arguments = list(node.args)
        # ``map('password_hash', ...)`` applies the filter that its first argument names.
        if called == "map" and arguments and isinstance(arguments[0], nodes.Const):
            called = str(arguments[0].value)
            arguments = arguments[1:]
        if called.rpartition(".")[2] != name:  # ansible.builtin.password_hash is the same.
            continue
        line = above + node.lineno
        given: dict[str | int, Argument] = {}
        for place, argument in enumerate(arguments):
            given[place] = _argument(argument, variables, line)
        for keyword in cast("list[nodes.Keyword]", node.kwargs):
            given[keyword.key] = _argument(keyword.value, variables, line)
        is_spread = node.dyn_args is not None or node.dyn_kwargs is not None
        yield Filter(given, line, is_spread)


def _argument(node: nodes.Expr | None, variables: _Variables, line: int) -> Argument:
    """Evaluate a constant, or a variable by its value or its default."""
    from jinja2 import nodes

    match node:
        case nodes.Const(value=int(constant)) if constant.bit_length() > 64:
            return Argument(None, line)  # Python refuses to write it in decimals.
        case nodes.Const(value=constant):
            return Argument(str(constant), line)
        case nodes.Name(name=name) if name in variables:
            value = variables[name]
            return Argument(value.text, value.line, name)
        case nodes.Name(name=name):
            return Argument(None, line, name)
        case nodes.Filter(name="d" | "default", node=inner, args=[usual, *_]):
            argument = _argument(inner, variables, line)
            if argument.text is not None:
                return argument
            default = _argument(usual, variables, line)
            return replace(default, variable=default.variable or argument.variable)
        case nodes.Filter(name="int" | "string" | "trim", node=inner):
            return _argument(inner, variables, line)
        case _:
            return Argument(None, line)
