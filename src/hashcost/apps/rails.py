"""Rails with has_secure_password: ``BCrypt::Engine.cost``."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import RUBY_BCRYPT
from hashcost.apps.interface import App, Default, Limits, Scheme
from hashcost.core.model import Params

ENGINE = "bcrypt-ruby 3.1.18, lib/bcrypt/engine.rb"
_CHANGES = "bcrypt-ruby's CHANGELOG: 3.1.13 bumps the default cost to 12 (GH #181)"
LIMITS = Limits(minimum=4, maximum=31, beyond="raised to 4, and refused above 31")


def _write(params: Params) -> str:
    return f"BCrypt::Engine.cost = {params['cost']}\n"


APP = App(
    name="rails",
    title="Rails",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="bcrypt-ruby",
            timing=RUBY_BCRYPT,
            keys={"cost": "BCrypt::Engine.cost (log2)"},
            limits={"cost": LIMITS},
            write=_write,
            defaults=(
                Default(since="1.0", params={"cost": 10}, source=_CHANGES),
                Default(since="3.1.13", params={"cost": 12}, source=_CHANGES),
            ),
        ),
    ),
    comment="# {}",
    read=reader("ruby", libraries=("bcrypt-ruby",)),
    places=("config/initializers/bcrypt.rb",),
    rehashes="never: a hash keeps its cost until the password is set again",
    sources=(ENGINE,),
    note="its releases are those of bcrypt-ruby; ActiveModel::SecurePassword.min_cost takes the"
    " lowest cost, in tests by default",
)
