"""Vaultwarden: ``PASSWORD_ITERATIONS`` in ``.env``.

Read in dani-garcia/vaultwarden: src/config.rs refuses less than 100,000.
"""

from __future__ import annotations

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.assignments import assignments
from hashcost.apps.files.candidates import first_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.environment import from_environment
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params

_KEY = "PASSWORD_ITERATIONS"
_CONFIG = "dani-garcia/vaultwarden, src/config.rs"


def _write(params: Params) -> str:
    return f"{_KEY}={params['iterations']}\n"


def _read(text: str) -> tuple[Found, ...]:
    found = []
    for each in assignments(text, by="="):
        if each.name != _KEY:
            continue
        reference = from_environment(each.value)
        if reference is not None and reference.default is None:
            raise UnreadableInputError(f"line {each.line}: {_KEY} is {reference.why}")
        value = each.value if reference is None else reference.default or ""
        found.append(
            Found(
                hasher="pbkdf2-sha256",
                params={"iterations": whole_number(value, _KEY, each.line)},
                line=each.line,
                why="" if reference is None else reference.why,
                written="" if reference is None else each.value,
            )
        )
    chosen = first_wins(found, "dotenvy keeps what is set already")
    return with_ranges(chosen, APP.schemes, APP.title)


APP = App(
    name="vaultwarden",
    title="Vaultwarden",
    schemes=(
        Scheme(
            hasher="pbkdf2-sha256",
            library="Rust's ring",
            timing=Timing(
                implementation="hashlib",
                source="ring carries BoringSSL's assembly for SHA-256, of the same origin as"
                " OpenSSL's; taken for equal, not measured",
            ),
            keys={"iterations": _KEY},
            limits={
                "iterations": Limits(
                    minimum=100_000, maximum=2**31 - 1, beyond="Vaultwarden does not start"
                )
            },
            write=_write,
            defaults=(Default(since="1.28", params={"iterations": 600_000}, source=_CONFIG),),
            note="it is hashed over what the client has derived already, whose iterations each"
            " user sets; an attacker who has the vaults guesses against those",
        ),
    ),
    comment="# {}",
    read=_read,
    places=(".env", "/etc/vaultwarden.env"),
    rehashes="on login, where the stored count is lower",
    sources=(_CONFIG,),
    note="config.json, which the admin page writes, overrides the environment.",
)
