"""The tree of errors."""

import inspect

import pytest

from corpora import cases
from hashcost.core import errors
from hashcost.core.errors import HashcostError


def _classes() -> list[type[HashcostError]]:
    members = vars(errors).values()
    return [item for item in members if inspect.isclass(item) and issubclass(item, HashcostError)]


def test_each_class_owns_its_exit_code() -> None:
    """Every error ends the command with the exit code that the design gives its kind."""
    codes = {error.__name__: error.exit_code for error in _classes()}
    assert cases(__file__, "errors.toml", "classes") == codes


def test_no_two_kinds_of_error_share_a_code() -> None:
    """In JSON an error goes by a code of its own, or by that of the kind it belongs to."""
    owners = [error for error in _classes() if "code" in vars(error)]
    assert len(owners) == len({error.code for error in owners})
    assert errors.UsageError.code == errors.UnknownNameError.code


def test_a_row_that_failed_leads_to_the_exit_code_of_its_error() -> None:
    """The code in a failed row tells the exit code of the error behind it."""
    assert cases(__file__, "errors.toml", "rows") == errors.EXIT_CODES


def test_a_usage_error_is_a_value_error() -> None:
    """Who calls the library catches a wrong argument as Python's own error."""
    with pytest.raises(ValueError, match=r"^wrong$"):
        raise errors.UsageError("wrong")
