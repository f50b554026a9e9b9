"""Digests that nothing marks: told by their length in hexadecimal, or for one application."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64, HEX
from hashcost.stored.formats.interface import Format, always, fast, shaped
from hashcost.stored.formats.reading import Kind, Reading


def _digest(hasher: str, size: int, *notes: str) -> Format:
    name = f"hex {hasher}"
    reading = fast(name, hasher, "unmarked", *notes)
    return Format(
        name=name,
        lengths=(2 * size,),
        read=shaped(f"{HEX}{{{2 * size}}}", always(reading)),
    )


FORMATS: Final = (
    _digest("md5", 16, "ambiguous-prefix"),
    _digest("sha1", 20),
    _digest("sha224", 28),
    _digest("sha256", 32),
    _digest("sha384", 48),
    _digest("sha512", 64),
    Format(
        name="hex nt",
        lengths=(32,),
        apps=("samba",),
        needs_app=True,
        read=shaped(f"{HEX}{{32}}", always(fast("hex nt", "nt", "unsalted"))),
    ),
    Format(
        name="$NT$",
        prefixes=("$NT$",),
        read=shaped(rf"\$NT\${HEX}{{32}}", always(fast("$NT$", "nt", "unsalted"))),
    ),
    Format(
        name="redis",
        lengths=(65,),
        apps=("redis",),
        read=shaped(f"#{HEX}{{64}}", always(fast("redis", "sha256", "unsalted"))),
    ),
    Format(
        name="grafana pbkdf2",
        lengths=(100,),
        apps=("grafana", "gitea"),
        needs_app=True,
        read=shaped(
            f"{HEX}{{100}}",
            always(
                Reading(
                    kind=Kind.HASHED,
                    format="grafana pbkdf2",
                    hasher="pbkdf2-sha256",
                    blocks=2,
                    notes=("extra-blocks", "no-cost-stored"),
                )
            ),
        ),
    ),
    Format(
        name="symfony pbkdf2",
        lengths=(56,),
        apps=("symfony",),
        needs_app=True,
        read=shaped(
            f"{BASE64}{{54}}==",
            always(
                Reading(
                    kind=Kind.HASHED,
                    format="symfony pbkdf2",
                    notes=("no-algorithm-stored", "no-cost-stored"),
                )
            ),
        ),
    ),
    Format(
        name="rabbitmq",
        lengths=(48,),
        apps=("rabbitmq",),
        needs_app=True,
        read=shaped(f"{BASE64}{{48}}", always(fast("rabbitmq", "sha256"))),
    ),
    Format(
        name="go-crypt plain text",
        prefixes=("$plaintext$", "$base64$"),
        apps=("authelia",),
        read=shaped(
            r"\$[a-z0-9]+\$[^\x00-\x1f\x7f]*",
            always(Reading(kind=Kind.PLAIN, format="go-crypt plain text")),
        ),
    ),
)
"""32 digits are as often an NT hash as an MD5; Grafana's key, and Gitea's, has 50 bytes."""
