"""GRUB's boot password, as ``grub-mkpasswd-pbkdf2`` writes it."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import COUNT, HEX
from hashcost.stored.formats.interface import Format, shaped
from hashcost.stored.formats.pbkdf2 import of_hex

FORMATS: Final = (
    Format(
        name="grub pbkdf2",
        prefixes=("grub.pbkdf2.sha512.",),
        apps=("grub",),
        read=shaped(
            rf"grub\.pbkdf2\.sha512\.({COUNT})\.{HEX}*\.(?P<key>{HEX}+)",
            partial(of_hex, "grub pbkdf2", "sha512"),
        ),
    ),
)
