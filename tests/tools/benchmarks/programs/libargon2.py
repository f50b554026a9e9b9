"""Hashes with the system's libargon2."""

import ctypes
from collections.abc import Callable, Mapping
from functools import partial

from .answering import PASSWORD, SALT, serve


def ready(hasher: str, params: Mapping[str, int]) -> Callable[[], object]:
    """One argon2id of 32 bytes."""
    argon2id = ctypes.CDLL("libargon2.so.1").argon2id_hash_raw
    text = (ctypes.c_char_p, ctypes.c_size_t)
    argon2id.argtypes = (*(ctypes.c_uint32,) * 3, *text, *text, *text)
    cost = (params[name] for name in ("time_cost", "memory_kib", "parallelism"))
    given = (part for text in (PASSWORD, SALT) for part in (text.encode(), len(text)))
    return partial(argon2id, *cost, *given, ctypes.create_string_buffer(32), 32)


if __name__ == "__main__":
    serve(ready)
