"""The stage of deployment that the conditions around a node of a parsed file speak of."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from hashcost.source_code.parsed.nodes import holds
from hashcost.source_code.parsed.translation import (
    arms_of,
    asked_of_compiler,
    children,
    choice_around,
    conditional_in,
    start_of,
)
from hashcost.source_code.remembering import remembered
from hashcost.source_code.stages import OPPOSITE, DeploymentStage, stage_of, stage_of_arm

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_IF_COMPILED: Final = "#[cfg("
"""The beginning of an attribute of Rust, by which what follows is only in some builds."""
_OF_TESTS: Final = re.compile(r"#\[(?:\w++::)*+test\b")
"""The beginning of an attribute of Rust, by which a function is a test."""
_ATTRIBUTE: Final = "attribute_item"
_BUILD_OF_GO: Final = re.compile(r"^//go:build[ \t]++(?P<asked>[^\n]{1,200})$", re.MULTILINE)
"""A line of Go, by which the whole file is only compiled in some builds."""
_CHOICES_OF_BUILDS: Final = ("preproc_if", "preproc_elif")
"""Nodes of C# with what is only compiled in some builds."""
_OTHER_BUILDS: Final = ("preproc_elif", "preproc_else")
TEST_MODULE: Final = re.compile(r"(?:pub )?mod \w*tests?\b")
_LEAVES: Final = re.compile(
    r"(?:return|throw|raise|exit|die|abort|(?:process|sys|os)\.(?:_?exit|abort))\b", re.IGNORECASE
)
"""The beginning of a statement that leaves a function or the program."""
_GUARD: Final = re.compile(
    r"(?i:prod|dev|test|debug).{0,200}?\b(?:return|throw|raise|exit|die|abort)\b"
    r"|\b(?:return|raise|exit|abort)\b.{0,100}\b(?:if|unless)\b.{0,100}(?i:prod|dev|test|debug)",
    re.DOTALL,
)
"""A condition of a stage near a statement that leaves, in a quick search."""


class ParsedStages:
    """Tells which nodes of one file run only in tests or development.

    ``expression_of`` reads a node as an expression.
    """

    def __init__(
        self, text: str, language: str, expression_of: Callable[[SgNode], ast.expr]
    ) -> None:
        self._text = text
        self._language = language
        self._expression_of = expression_of

    def is_in_tests(self, node: SgNode) -> bool:
        """Tell whether a node runs only in tests and development, by what is around it."""
        if self._stage_of_file is DeploymentStage.TESTS:
            return True
        return self.is_in_module_of_tests(node) or self.is_only_for_tests(node)

    def is_in_module_of_tests(self, node: SgNode) -> bool:
        """Tell whether a node is in a module of tests, which files of Rust have."""
        if self._language != "rust":
            return False
        for around in node.ancestors():
            start = around.range().start.index
            if around.kind() == "mod_item" and TEST_MODULE.match(self._text, start):
                return True
        return False

    def is_only_for_tests(self, node: SgNode) -> bool:
        """Tell whether a condition around a node, or in front of it in Rust, speaks of tests."""
        stage = self._stage_by_attribute(node)
        if stage is DeploymentStage.UNKNOWN:
            stage = self._stage_at(node)
        return stage is DeploymentStage.TESTS

    def _stage_at(self, node: SgNode) -> DeploymentStage:
        """Tell the stage by the innermost condition around a node that speaks of one."""
        at = node.range().start.index
        for around in node.ancestors():
            stage = self._stage_of_arm(around)
            if stage is DeploymentStage.UNKNOWN:
                stage = self._stage_of_build(around, at)
            if stage is not DeploymentStage.UNKNOWN:
                return stage
            if self._may_have_guards and self._is_behind_guard(around):
                return DeploymentStage.TESTS
            conditional = conditional_in(around)
            if conditional is None or holds(conditional.test, at):
                continue
            stage = self._stage_of(conditional.test)
            if holds(conditional.body, at) == conditional.is_negated:
                stage = OPPOSITE[stage]
            if stage is not DeploymentStage.UNKNOWN:
                return stage
        return DeploymentStage.UNKNOWN

    @cached_property
    def _stage_of_file(self) -> DeploymentStage:
        """The stage for which a whole file of Go is compiled."""
        if self._language != "go":
            return DeploymentStage.UNKNOWN
        build = _BUILD_OF_GO.search(self._text)
        if build is None:
            return DeploymentStage.UNKNOWN
        asked = build["asked"].replace("&&", " and ").replace("||", " or ").replace("!", " not ")
        try:
            return stage_of(ast.parse(asked.strip(), mode="eval").body)
        except SyntaxError:
            return DeploymentStage.UNKNOWN

    def _stage_of_build(self, around: SgNode, at: int) -> DeploymentStage:
        """Tell the stage by what is asked about the build around a place."""
        kind = around.kind()
        if kind not in _CHOICES_OF_BUILDS:
            return self._stage_by_attribute(around)
        test, *parts = children(around)
        stage = self._stage_of(test)
        if any(part.kind() in _OTHER_BUILDS and holds(part, at) for part in parts):
            return OPPOSITE[stage]
        return stage

    def _stage_by_attribute(self, node: SgNode) -> DeploymentStage:
        """Tell the stage by the attributes that Rust has in front of a node."""
        if self._language != "rust":
            return DeploymentStage.UNKNOWN
        before = node.prev()
        while before is not None and before.kind() == _ATTRIBUTE:
            written = before.text()
            if _OF_TESTS.match(written):
                return DeploymentStage.TESTS
            if written.startswith(_IF_COMPILED):
                return _stage_of_asked(written.removeprefix(_IF_COMPILED).removesuffix(")]"))
            before = before.prev()
        return DeploymentStage.UNKNOWN

    @cached_property
    def _may_have_guards(self) -> bool:
        """Whether the file may leave a function or itself unless a test or development runs it."""
        return _GUARD.search(self._text) is not None

    def _is_behind_guard(self, node: SgNode) -> bool:
        """Tell whether an earlier statement of the same block leaves it in production."""
        block = node.parent()
        return block is not None and start_of(node) > self._end_of_guard(block)

    @remembered
    def _end_of_guard(self, block: SgNode) -> int:
        """Find where the first statement of a block ends that leaves it in production.

        Return the end of the text for a block without such a statement.
        """
        for statement in children(block):
            conditional = conditional_in(statement)
            if conditional is None or not _LEAVES.match(_last_statement(conditional.body)):
                continue
            stage = self._stage_of(conditional.test)
            if conditional.is_negated:
                stage = OPPOSITE[stage]
            if stage is DeploymentStage.PRODUCTION:
                return int(statement.range().end.index)
        return len(self._text)

    def _stage_of_arm(self, node: SgNode) -> DeploymentStage:
        """Tell the stage of an arm of a choice, such as a case of a ``switch``."""
        choice = choice_around(node)
        if choice is None:
            return DeploymentStage.UNKNOWN
        return self._stages_of_arms(choice).get(start_of(node), DeploymentStage.UNKNOWN)

    @remembered
    def _stages_of_arms(self, choice: SgNode) -> Mapping[int, DeploymentStage]:
        """Tell the stages of all arms of a choice, by where they begin."""
        stages = {}
        for arm, values in arms_of(choice):
            stages[start_of(arm)] = [self._stage_of(value) for value in values]
        every = set(chain.from_iterable(stages.values()))
        return {at: stage_of_arm(own, every) for at, own in stages.items()}

    @remembered
    def _stage_of(self, test: SgNode) -> DeploymentStage:
        """Tell the stage of a condition, which may be around thousands of calls."""
        return stage_of(self._expression_of(test))


def _stage_of_asked(predicate: str) -> DeploymentStage:
    """Tell the stage of what Rust asks about a build."""
    asked = asked_of_compiler(predicate)
    if not asked:
        return DeploymentStage.UNKNOWN
    return stage_of(ast.parse(asked, mode="eval").body)


def _last_statement(body: SgNode) -> str:
    """Take the last statement of a body, or all of a body without parts."""
    while body.kind().endswith(("block", "then", "compound_statement")) and children(body):
        body = children(body)[-1]
    return body.text()
