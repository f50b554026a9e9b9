"""Hashes with a library of C or Python, once for each line of params in JSON.

``python -m tests.tools.peers.libraries LIBRARY``; those not named here are
hashers of `tools.benchmarks.plain`.
"""

import ctypes
import ctypes.util
import json
import sys
from collections.abc import Mapping
from ctypes import c_size_t, c_uint32, c_uint64
from typing import Final

from tools.benchmarks.plain import prepare

_PASSWORD: Final = b"probe-pass12"
_SALT: Final = b"QPONMLKJIHGFedcb"
_GIVEN: Final = (_PASSWORD, c_size_t(len(_PASSWORD)), _SALT, c_size_t(len(_SALT)))


def _hash(library: str, params: Mapping[str, int]) -> None:
    name, _, algorithm = library.partition(":")
    if algorithm in ("", "python"):
        prepare(name, params)()
        return
    code = ctypes.CDLL(ctypes.util.find_library(name))
    made = ctypes.create_string_buffer(32)
    out = (made, c_size_t(len(made)))
    if name == "argon2":
        order = ("time_cost", "memory_kib", "parallelism")
        failed = code.argon2id_hash_raw(*(c_uint32(params[key]) for key in order), *_GIVEN, *out)
    elif name == "scrypt-kdf":
        n, r, p = params["n"], params["r"], params["p"]
        failed = code.crypto_scrypt(*_GIVEN, c_uint64(n), c_uint32(r), c_uint32(p), *out)
    else:
        costs = [*map(c_size_t, params.values()), c_size_t(0), c_size_t(0)]
        failed = code.botan_pwdhash(algorithm.encode(), *costs[:3], *out, *_GIVEN)
    if failed:
        raise SystemExit(f"{library} refuses {dict(params)}: {failed}")


if __name__ == "__main__":
    for line in sys.stdin:
        _hash(sys.argv[1], json.loads(line))
        print(flush=True)
