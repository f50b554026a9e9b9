"""Programs with a format or two of their own: AIX, Foreman, FSHP, GRUB, Mosquitto.

AIX' loadable password algorithms: hashcat, modes 6300 to 6700. Foreman:
app/services/foreman/password_hash.rb. FSHP, salted and iterated digests
(``{FSHP1|16|4096}…``): passlib, handlers/fshp.py. GRUB's boot password:
``grub-mkpasswd-pbkdf2``. Mosquitto's file (``mosquitto_passwd``) has prefixes that
crypt(5) has otherwise.
"""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT, CRYPT64, HEX
from hashcost.stored.formats.interface import LARGEST, Format, always, counted, fast, shaped
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES, derived, of_hex, pbkdf2
from hashcost.stored.formats.reading import Reading

_AIX = ("aix",)
_MOSQUITTO = ("mosquitto",)
_FIXED = ("fixed-cost",)


def _aix(digest: str, characters: int) -> Format:
    """Two digits: the logarithm of the iterations, 4 to 31."""

    def setting(name: str, digits: str) -> Reading | None:
        cost = int(digits)
        return pbkdf2(name, digest, 1 << cost, DIGEST_BYTES[digest]) if 4 <= cost <= 31 else None

    scheme = f"{{s{digest}}}"
    rest = rf"([0-9]{{2}})\${CRYPT64}{{8,48}}\${CRYPT64}{{{characters}}}"
    return shaped(f"aix {scheme}", scheme, rest, setting, apps=_AIX)


FORMATS: Final = (
    derived(
        "mosquitto pbkdf2",
        "sha512",
        "$7$",
        rf"({COUNT})\${BASE64}+={{0,2}}\$(?P<key>{BASE64}{{86}})==",
        apps=_MOSQUITTO,
    ),
    fast(
        "mosquitto sha512",
        "$6$",
        rf"{BASE64}+={{0,2}}\${BASE64}{{86}}==",
        "ssha512",
        apps=_MOSQUITTO,
    ),
    # PBKDF1, whose output is one digest.
    *(
        shaped(
            "fshp",
            f"{{FSHP{variant}|",
            rf"[0-9]{{1,4}}\|({COUNT})\}}{BASE64}{{27,}}={{0,2}}",
            counted(f"pbkdf1-{digest}", "iterations", 1, LARGEST),
        )
        for variant, digest in enumerate(("sha1", "sha256", "sha384", "sha512"))
    ),
    # 39 bytes of key, two blocks.
    derived(
        "foreman pbkdf2",
        "sha1",
        "$pbkdf2sha1$",
        rf"({COUNT})\${BASE64}+={{0,2}}\$(?P<key>{BASE64}{{52}})={{0,2}}",
        apps=("foreman",),
    ),
    derived(
        "grub pbkdf2",
        "sha512",
        "grub.pbkdf2.sha512.",
        rf"({COUNT})\.{HEX}*\.(?P<key>{HEX}+)",
        of_hex,
        apps=("grub",),
    ),
    _aix("sha1", 27),
    _aix("sha256", 43),
    _aix("sha512", 86),
    # md5-crypt without its prefix.
    shaped(
        "aix {smd5}",
        "{smd5}",
        rf"{CRYPT64}{{8}}\${CRYPT64}{{22}}",
        always("md5-crypt", notes=_FIXED),
        apps=_AIX,
    ),
)
