"""Node's ``bcryptjs``, which is JavaScript alone."""

from __future__ import annotations

from hashcost.apps.files.timings import NODE_BCRYPTJS
from hashcost.apps.interface import App, Default, Scheme
from hashcost.apps.node_bcrypt import LIMITS, READ, write

_SOURCE = "bcryptjs 3.0.3 (npm), index.js"

APP = App(
    name="node-bcryptjs",
    title="bcryptjs (npm)",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="bcryptjs's JavaScript",
            timing=NODE_BCRYPTJS,
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
