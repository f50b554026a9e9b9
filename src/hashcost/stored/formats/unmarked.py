"""Digests that nothing marks: told by their length in hexadecimal, or for one application."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64, HEX
from hashcost.stored.formats.interface import Format, always, fast, plain, shaped


def _digest(hasher: str, size: int, *notes: str) -> Format:
    rest = f"{HEX}{{{2 * size}}}"
    return fast(f"hex {hasher}", (), rest, hasher, "unmarked", *notes, lengths=(2 * size,))


FORMATS: Final = (
    _digest("md5", 16, "ambiguous-prefix"),
    _digest("sha1", 20),
    _digest("sha224", 28),
    _digest("sha256", 32),
    _digest("sha384", 48),
    _digest("sha512", 64),
    fast(
        "hex nt",
        (),
        f"{HEX}{{32}}",
        "nt",
        "unsalted",
        lengths=(32,),
        apps=("samba",),
        needs_app=True,
    ),
    fast("$NT$", "$NT$", f"{HEX}{{32}}", "nt", "unsalted"),
    fast("redis", (), f"#{HEX}{{64}}", "sha256", "unsalted", lengths=(65,), apps=("redis",)),
    shaped(
        "grafana pbkdf2",
        (),
        f"{HEX}{{100}}",
        always("pbkdf2-sha256", blocks=2, notes=("extra-blocks", "no-cost-stored")),
        lengths=(100,),
        apps=("grafana", "gitea"),
        needs_app=True,
    ),
    shaped(
        "symfony pbkdf2",
        (),
        f"{BASE64}{{54}}==",
        always(notes=("no-algorithm-stored", "no-cost-stored")),
        lengths=(56,),
        apps=("symfony",),
        needs_app=True,
    ),
    fast(
        "rabbitmq",
        (),
        f"{BASE64}{{48}}",
        "sha256",
        lengths=(48,),
        apps=("rabbitmq",),
        needs_app=True,
    ),
    plain("go-crypt plain text", "$plaintext$", "$base64$", apps=("authelia",)),
)
"""32 digits are as often an NT hash as an MD5; Grafana's key, and Gitea's, has 50 bytes."""
