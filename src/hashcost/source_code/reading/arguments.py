"""The arguments of a call, by the places that a rule names, and as the words of a rule."""

import re
from dataclasses import dataclass
from functools import cached_property

from hashcost.source_code.costs import Unresolved
from hashcost.source_code.parsed.translation import without_brackets
from hashcost.source_code.reading.other_digests import hasher_with
from hashcost.source_code.rules import ArgumentPlace, Param, Rule, Which
from hashcost.source_code.values import (
    SPREAD,
    Call,
    Data,
    DottedName,
    Function,
    Unknown,
    Value,
    described,
    number_of,
)


@dataclass(frozen=True)
class GivenArguments:
    """The arguments of a call, by the places that a rule names."""

    call: Call
    rule: Rule

    def value(self, where: ArgumentPlace) -> Value | None:
        """Find an argument by its name, as an option, or by its position."""
        named = self.named(where)
        # A map of options has a place of its own, which says nothing of what is in it.
        if named is None and where.names:
            for options in self.options:
                option = self._option(where, options)
                if option is not None:
                    return option
        return named or self.at(where)

    def named(self, where: ArgumentPlace) -> Value | None:
        """Find an argument by its name."""
        for name in where.names:
            if name in self.call.keywords:
                return self.call.keywords[name]
        return None

    def at(self, where: ArgumentPlace) -> Value | None:
        """Find the first number at some positions, or else the first value."""
        arguments = self.call.arguments
        places = where.at
        # Each overload has the param at another of the places; one place is that of all.
        if self._overload is not None and where.at:
            places = where.at[self._overload :][:1] or where.at[:1]
        values = [arguments[at] for at in places if at < len(arguments)]
        for value in values:
            if number_of(value.data) is not None:
                return value
        return next(iter(values), None)

    @cached_property
    def _overload(self) -> int | None:
        """Tell by the place of the algorithm which of several functions of one name is called."""
        which = self.rule.which
        if which is None or len(which.at) < 2:
            return None
        arguments = self.call.arguments
        for overload, at in enumerate(which.at):
            if at < len(arguments) and hasher_named(which, arguments[at].data):
                return overload
        # A variable may hold the algorithm; the costs beside it are numbers.
        for overload in range(len(which.at)):
            if self._has_numbers(overload):
                return overload
        return 0

    def _has_numbers(self, overload: int) -> bool:
        """Tell whether the costs that one of several functions of a name takes are numbers."""
        arguments = self.call.arguments
        for param in self.rule.params.values():
            for at in param.at[overload:][:1]:
                if at < len(arguments) and number_of(arguments[at].data) is None:
                    return False
        return True

    @cached_property
    def options(self) -> list[Data]:
        """The arguments at the places for a map of options."""
        given = (self.call.argument("options", place) for place in self.rule.options)
        return [options.data for options in given if options is not None]

    def _option(self, where: ArgumentPlace, options: Data) -> Value | None:
        """Find an argument in a map of options.

        Raises:
            Unresolved: the options are not known.
        """
        inside = self.rule.inside
        if isinstance(options, Call) and (options.keywords or options.name == "default"):
            options = dict(options.keywords)
        if inside and isinstance(options, dict):
            if inside not in options:
                return None
            options = options[inside].data
        if isinstance(options, dict):
            for name, value in options.items():
                if name in where.names:
                    return value
            if SPREAD in options:
                raise Unresolved(f"its options are {described(options[SPREAD].data)}")
            return None
        if options is None or isinstance(options, Function | int | str):
            return None
        raise Unresolved(f"its options are {described(options)}")

    def name_of(self, param: Param) -> str:
        """Name a param as the call does, or as its rule does first if the call leaves it out."""
        given: set[str] = set(self.call.keywords)
        for options in self.options:
            if isinstance(options, dict):
                given |= options.keys()
        return next((name for name in param.names if name in given), param.names[0])

    def is_text(self, where: ArgumentPlace) -> bool:
        """Tell whether a text that the source writes out is at a place."""
        value = self.value(where)
        return value is not None and isinstance(value.data, str)


def text_of(data: Data) -> str:
    """Read data as a word of the rule."""
    match data:
        case Unknown(text=text) | DottedName(path=text) | Call(function=text):
            return text
        case {"name": Value(data=name)}:
            return text_of(name)
        case ():
            return ""
        case (Value(data=first), *_):
            return text_of(first)
        case None:
            return "null"
        case _:
            return str(data)


def hasher_named(which: Which, data: Data) -> str | None:
    """Tell which hasher data means as a word of a rule; `None` for other words."""
    text = text_of(data)
    word = word_of(text, tuple(which.values))
    if word:
        return which.values[word]
    listed = tuple(which.values.items())
    named = (hasher_with(listed, word) for word in _whole_and_last(text))
    return next(filter(None, named), None)


def word_of(text: str, words: tuple[str, ...]) -> str:
    """Find the word that a text, or its last part, is; or else an empty text."""
    return next((word for word in _whole_and_last(text) if word in words), "")


def _whole_and_last(text: str) -> tuple[str, str]:
    """Write a text as rules do, and the part behind its last sign."""
    plain = without_brackets(text).lower()
    return plain, re.split(r"\.|::|\\", plain)[-1]
