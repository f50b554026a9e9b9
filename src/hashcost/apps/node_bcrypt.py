"""Node's ``bcrypt`` and ``bcryptjs``: the rounds of a call."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import NODE_BCRYPT
from hashcost.apps.interface import App, Default, Limits, Read, Scheme
from hashcost.core.model import Params

LIMITS = Limits(minimum=4, maximum=31, beyond="0 counts as 10, others as the nearest")
READ: Read = reader("typescript", "javascript", libraries=("bcrypt, bcryptjs",))
_SOURCE = "bcrypt 6.0.0 (npm), bcrypt.js and src/bcrypt.cc"


def write(params: Params) -> str:
    """The call of either package."""
    return f"const hash = await bcrypt.hash(password, {params['cost']});\n"


APP = App(
    name="node-bcrypt",
    title="bcrypt (npm)",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="bcrypt's C++",
            timing=NODE_BCRYPT,
            keys={"cost": "rounds (log2)"},
            limits={"cost": LIMITS},
            write=write,
            defaults=(Default(since="0.1", params={"cost": 10}, source=_SOURCE),),
        ),
    ),
    comment="// {}",
    read=READ,
    places=(),
    rehashes="where the code compares bcrypt.getRounds with the cost",
    sources=(_SOURCE,),
)
