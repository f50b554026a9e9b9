"""Hashes with a library alone: ``python -m tests.benchmarks.plain HASHER COST TIMES``.

It knows nothing of the tool. It prints the thread CPU time of each hash, in
seconds, as a JSON list. Password and salt are as long as the tool's probe.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

Hash: TypeAlias = Callable[[], bytes]

_PASSWORD: Final = b"plain-pass12"
_SALT: Final = b"QPONMLKJIHGFedcb"
_BCRYPT_SALT: Final = b"abcdefghijklmnopqrstuu"


def prepare(hasher: str, cost: int) -> Hash:
    """One hash at this cost as a call without arguments."""
    if hasher == "bcrypt":
        import bcrypt

        return partial(bcrypt.hashpw, _PASSWORD, b"$2b$%02d$%s" % (cost, _BCRYPT_SALT))
    if hasher == "sha512-crypt":
        return _crypt(b"$6$rounds=%d$%s$" % (cost, _SALT))
    return partial(hashlib.pbkdf2_hmac, hasher.removeprefix("pbkdf2-"), _PASSWORD, _SALT, cost)


def _crypt(setting: bytes) -> Hash:
    crypt = ctypes.CDLL("libcrypt.so.1").crypt
    crypt.restype = ctypes.c_char_p
    crypt.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
    if not (crypt(b"test", b"$6$rounds=1000$saltstring$") or b"").startswith(b"$6$rounds=1000$"):
        raise SystemExit("this libcrypt has no sha512-crypt")
    return partial(crypt, _PASSWORD, setting)


def main() -> None:
    """Time the hashes."""
    hasher, cost, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    call = prepare(hasher, cost)
    taken = []
    for _ in range(times):
        start = time.thread_time()
        call()
        taken.append(time.thread_time() - start)
    json.dump(taken, sys.stdout)


if __name__ == "__main__":
    main()
