"""Defaults that libraries of settings give what is declared: in tags, annotations and schemas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hashcost.source_code.parsed.translation import children
from hashcost.source_code.rules import Grammar

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_DEFAULT_IN_TAG: Final = re.compile(
    r"""\b(?:default|envDefault|env-default):"(?P<go>[0-9]{1,18})\""""
    r"""|@Inject\(\s*+(?P<injected>\w++)\.KEY\s*+\)"""
    r"""|(?<!:)\$\{(?P<property>[\w.-]{1,200})(?::(?P<spring>[0-9]{1,18}))?\}"""
    r"""|(?:\bdefault(?:Value|_value|_value_t)?\s*[=:(]|[@\[](?:With)?Default(?:Value)?\()\s*["']?"""
    r"""(?:(?P<option>[0-9]{1,3}(?:_[0-9]{3}){1,4}|[0-9]{1,18})|(?P<made_by>(?<=")\w++(?:::\w++)*+)"""
    r"""|(?P<constant>(?<!["'])[^\W\d][\w.:]{0,200}))(?=["'`\s]*[,)\]}"'`])"""
)
"""The default that libraries of settings give what is declared: caarlos0/env, envconfig, cleanenv,
Spring's ``@Value``, MicroProfile's ``@ConfigProperty``, SmallRye's ``@WithDefault``, Skife's
``@Default``, clap, structopt, serde, smart-default, sequelize-typescript, and C#'s
``DefaultValue``. NestJS injects a part of the configuration by its ``KEY``."""
_TAGS: Final = frozenset({"modifiers", "attribute_list", "raw_string_literal", "decorator"})
"""The kinds of node that hold the tags or annotations of what is declared."""


def may_have_tags(text: str) -> bool:
    """Tell whether a text has a default in a tag at all: few files have one."""
    return _DEFAULT_IN_TAG.search(text) is not None


def default_in_tags(node: SgNode) -> re.Match[str] | None:
    """Find the default in the tags, annotations and attributes of a declaration."""
    tags = [part.text() for part in children(node) if part.kind() in _TAGS]
    before = node.prev()
    while before is not None and before.kind() == "attribute_item":
        tags.append(before.text())
        before = before.prev()
    return _DEFAULT_IN_TAG.search("\n".join(tags))


def default_in_schema(node: SgNode, grammar: Grammar) -> SgNode | None:
    """Find the default in a chain of calls, or in an object that describes a setting."""
    while node.kind() in grammar.calls:
        called = children(node)
        if len(called) < 2:  # ``new Schema`` may have no arguments.
            return None
        given = children(called[-1])
        parts = children(called[0])
        if len(parts) > 1 and parts[-1].text() == "default" and len(given) == 1:
            return given[0]
        if given and given[-1].kind() in grammar.maps:
            default = default_in_schema(given[-1], grammar)
            if default is not None:
                return default
        if not parts:
            return None
        node = parts[0]
    if node.kind() in grammar.maps:
        for pair in children(node):
            parts = children(pair)
            # What has the name of a variable is one word: ``{ format }``.
            if len(parts) > 1 and parts[0].text() == "default":
                return parts[-1]
    return None
