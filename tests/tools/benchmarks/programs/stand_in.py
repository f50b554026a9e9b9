"""Hashes with what is timed in place of an application's library: the tool's own adapters."""

from collections.abc import Callable, Mapping
from functools import cache

from hashcost.hashers.interface import Hasher
from hashcost.hashers.registry import candidates, load_first, select

from .answering import PASSWORD, SALT, serve


@cache
def hasher_of(label: str) -> Hasher:
    """The adapter of ``hasher@implementation``."""
    ((choice,),) = select([label], every_implementation=False, available=candidates())
    return load_first([choice])[1]


def ready(hasher: str, params: Mapping[str, int]) -> Callable[[], object]:
    """One hash; ``hasher`` is ``hasher@implementation``."""
    return hasher_of(hasher).ready(PASSWORD.encode(), SALT.encode(), dict(params)).run


if __name__ == "__main__":
    serve(ready)
