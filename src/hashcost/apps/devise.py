"""Devise: ``config.stretches`` in its initializer."""

from __future__ import annotations

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import RUBY_BCRYPT
from hashcost.apps.interface import App, Default, Found, Scheme
from hashcost.apps.rails import ENGINE, LIMITS
from hashcost.core.model import Params

_SOURCE = "devise 4.8.1, lib/devise.rb"
_READ = reader("ruby", libraries=("Devise",))


def _write(params: Params) -> str:
    return (
        "Devise.setup do |config|\n"
        f"  config.stretches = Rails.env.test? ? 1 : {params['cost']}\n"
        "end\n"
    )


def _read(text: str) -> tuple[Found, ...]:
    return last_wins(_READ(text), "the last assignment counts")


APP = App(
    name="devise",
    title="Devise",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="bcrypt-ruby",
            timing=RUBY_BCRYPT,
            keys={"cost": "config.stretches (log2)"},
            limits={"cost": LIMITS},
            write=_write,
            defaults=(
                Default(since="4.7.2", params={"cost": 12}, source=f"{_SOURCE}; CHANGELOG"),
            ),
        ),
    ),
    comment="# {}",
    read=_read,
    places=("config/initializers/devise.rb",),
    rehashes="never: a hash keeps its cost until the password is set again",
    sources=(_SOURCE, ENGINE),
)
