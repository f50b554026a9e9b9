"""Node's own ``crypto``: PBKDF2 and scrypt."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import NODE_PBKDF2_SHA256, NODE_PBKDF2_SHA512, NODE_SCRYPT
from hashcost.apps.interface import App, Default, Limits, Scheme, Timing, Write
from hashcost.core.model import Params

_SOURCE = "nodejs.org/api/crypto.html"


def _pbkdf2(digest: str, length: int) -> Write:
    def write(params: Params) -> str:
        cost = f"{params['iterations']}, {length}, '{digest}'"
        return f"const key = crypto.pbkdf2Sync(password, salt, {cost});\n"

    return write


def _write_scrypt(params: Params) -> str:
    """The call with the memory that OpenSSL asks for, which Node's default refuses."""
    n, r, p = params["n"], params["r"], params["p"]
    memory = 128 * r * (n + p + 2)
    cost = f"N: {n}, r: {r}, p: {p}, maxmem: {memory}"
    return f"const key = crypto.scryptSync(password, salt, 64, {{ {cost} }});\n"


def _scheme(digest: str, length: int, timing: Timing) -> Scheme:
    return Scheme(
        hasher=f"pbkdf2-{digest}",
        library="Node's OpenSSL",
        timing=timing,
        keys={"iterations": "iterations"},
        limits={"iterations": Limits(minimum=1, maximum=2**31 - 1)},
        write=_pbkdf2(digest, length),
    )


APP = App(
    name="node-crypto",
    title="Node's crypto",
    schemes=(
        Scheme(
            hasher="scrypt",
            library="Node's OpenSSL",
            timing=NODE_SCRYPT,
            keys={"n": "N", "r": "r", "p": "p"},
            limits={
                "n": Limits(minimum=2, maximum=2**30, allowed=tuple(2**k for k in range(1, 31))),
                "r": Limits(minimum=1, maximum=2**20),
                "p": Limits(minimum=1, maximum=2**20),
            },
            write=_write_scrypt,
            defaults=(Default(since="10.5", params={"n": 16384, "r": 8, "p": 1}, source=_SOURCE),),
        ),
        _scheme("sha256", 32, NODE_PBKDF2_SHA256),
        _scheme("sha512", 64, NODE_PBKDF2_SHA512),
    ),
    comment="// {}",
    read=reader("typescript", "javascript", libraries=("node:crypto",)),
    places=(),
    rehashes="where the code stores the cost beside the hash and compares it",
    sources=(_SOURCE,),
)
