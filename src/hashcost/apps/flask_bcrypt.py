"""Flask-Bcrypt: ``BCRYPT_LOG_ROUNDS`` in the application's configuration."""

from __future__ import annotations

from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.unique import unique
from hashcost.apps.interface import App, Default, Found, Scheme
from hashcost.apps.libraries import BCRYPT_LIMITS, PYCA_BCRYPT
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params
from hashcost.source_code.python_calls import calls_named, require_whole
from hashcost.source_code.python_file import PythonFile
from hashcost.source_code.python_settings import chosen, settings_named
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.values import whole

_SOURCE: Final = "maxcountryman/flask-bcrypt, flask_bcrypt.py"
_KEY: Final = "BCRYPT_LOG_ROUNDS"


def _write(params: Params) -> str:
    return f"{_KEY} = {params['cost']}\n"


def _read(text: str) -> tuple[Found, ...]:
    """What the configuration sets, and the rounds that calls are given themselves."""
    source = read_python(text)
    found = unique([*_configured(source), *_given(source)])
    return with_refusals(found, APP.schemes, "bcrypt")


def _configured(source: PythonFile) -> list[Found]:
    found = []
    for setting in settings_named(source, _KEY):
        try:
            cost = whole(setting.value, _KEY)
        except UnreadableInputError:
            if setting.wins:
                raise
            continue
        found.append(
            Found(
                hasher="bcrypt",
                params={"cost": cost},
                line=setting.value.line,
                wins=setting.wins,
                why=chosen(setting),
            )
        )
    return found


def _given(source: PythonFile) -> list[Found]:
    found = []
    for called in calls_named(source, ("generate_password_hash",), of="flask_bcrypt"):
        if "bcrypt" not in called.call.function.lower():
            continue
        value = called.call.argument("rounds", 1)
        if value is None:
            require_whole(called.call, "rounds")
        elif value.data is not None:
            found.append(
                Found(
                    hasher="bcrypt",
                    params={"cost": whole(value, "rounds")},
                    line=value.line,
                    wins=not called.apart,
                    why=called.apart or value.why or f"this call has it, whatever {_KEY} is",
                )
            )
    return found


APP = App(
    name="flask-bcrypt",
    title="Flask-Bcrypt",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="bcrypt (pyca)",
            timing=PYCA_BCRYPT,
            keys={"cost": f"{_KEY} (log2)"},
            limits=BCRYPT_LIMITS,
            write=_write,
            defaults=(Default(since="1.0", params={"cost": 12}, source=_SOURCE),),
        ),
    ),
    comment="# {}",
    read=_read,
    places=("config.py", "*/config.py", "app.py"),
    rehashes="never: hash the password again where check_password_hash has verified it",
    sources=(_SOURCE,),
    package="flask-bcrypt",
    note=(
        "bcrypt 5 refuses passwords above 72 bytes; BCRYPT_HANDLE_LONG_PASSWORDS hashes them"
        " first, but never turn it on where there are stored hashes already"
    ),
)
