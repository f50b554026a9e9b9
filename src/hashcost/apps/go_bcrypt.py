"""Go's ``golang.org/x/crypto/bcrypt``: the cost of ``GenerateFromPassword``."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import GO_BCRYPT
from hashcost.apps.interface import App, Default, Limits, Scheme
from hashcost.core.model import Params

_SOURCE = "golang.org/x/crypto v0.58.0, bcrypt/bcrypt.go"


def _write(params: Params) -> str:
    return f"hash, err := bcrypt.GenerateFromPassword(password, {params['cost']})\n"


APP = App(
    name="go-bcrypt",
    title="Go x/crypto/bcrypt",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="x/crypto's Go",
            timing=GO_BCRYPT,
            keys={"cost": "cost (log2)"},
            limits={"cost": Limits(minimum=4, maximum=31, beyond="below 4 silently 10")},
            write=_write,
            defaults=(Default(since="0", params={"cost": 10}, source=f"{_SOURCE}, DefaultCost"),),
        ),
    ),
    comment="// {}",
    read=reader("go", libraries=("golang.org/x/crypto/bcrypt",)),
    places=(),
    rehashes="where the code compares bcrypt.Cost with the cost",
    sources=(_SOURCE,),
)
