"""Hashes with passlib 1.7.4, which must come first in PYTHONPATH."""

import warnings
from collections.abc import Callable, Mapping
from functools import partial

from .answering import PASSWORD, serve


def ready(hasher: str, params: Mapping[str, int]) -> Callable[[], object]:
    """One login: the password verified against a stored hash."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Of Python's own crypt.
        import passlib
        from passlib import hash as handlers

        if not passlib.__version__.startswith("1.7"):
            raise SystemExit(f"this is passlib {passlib.__version__}")
        handler = getattr(handlers, hasher.replace("-", "_"))
        stored = handler.using(rounds=params["rounds"]).hash(PASSWORD)
        if handler.get_backend() != "os_crypt":
            raise SystemExit("this Python has no crypt, so passlib 1.7.4 hashes as libpass does")
    return partial(handler.verify, PASSWORD, stored)


if __name__ == "__main__":
    serve(ready)
