"""Methods that work out an answer once for each object and its arguments."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

OwnerT = TypeVar("OwnerT")
AskedT = TypeVarTuple("AskedT")
AnswerT = TypeVar("AnswerT")


def remembered(
    method: Callable[[OwnerT, *AskedT], AnswerT],
) -> Callable[[OwnerT, *AskedT], AnswerT]:
    """Keep the answers of a method with its object, as `functools.cached_property` does."""
    place = f"answers of {method.__name__}"

    @wraps(method)
    def answer(owner: OwnerT, *asked: *AskedT) -> AnswerT:
        answers = vars(owner).setdefault(place, {})
        if asked not in answers:
            answers[asked] = method(owner, *asked)
        kept: AnswerT = answers[asked]
        return kept

    return answer
