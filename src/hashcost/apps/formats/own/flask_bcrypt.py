"""Flask-Bcrypt: ``BCRYPT_LOG_ROUNDS`` in the application's configuration."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.candidates import unique
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.python.calls import calls_named, require_whole
from hashcost.source_code.python.file import PythonFile
from hashcost.source_code.python.settings import settings_named
from hashcost.source_code.python.statements import read_python
from hashcost.source_code.values import whole

_KEY: Final = "BCRYPT_LOG_ROUNDS"


def read(app: App, text: str) -> tuple[Found, ...]:
    """What the configuration sets, and the rounds that calls are given themselves."""
    source = read_python(text)
    given = list(_given(source))
    configured = list(_configured(source))
    if len([each for each in given if each.wins]) == _calls(source) > 0:
        why = "every call sets its own rounds"
        configured = [replace(each, wins=False, why=why) for each in configured]
    found = unique([*configured, *given])
    return with_refusals(found, app)


def _configured(source: PythonFile) -> Iterator[Found]:
    for setting in settings_named(source, _KEY):
        try:
            cost = whole(setting.value, _KEY)
        except UnreadableInputError:
            if setting.wins:
                raise
            continue
        line, why = setting.value.line, setting.reason
        one = Found(hasher="bcrypt", params={"cost": cost}, line=line, why=why)
        yield replace(one, wins=setting.wins)


def _calls(source: PythonFile) -> int:
    called = calls_named(source, ("generate_password_hash",), of="flask_bcrypt")
    return len([each for each in called if "bcrypt" in each.call.function.lower()])


def _given(source: PythonFile) -> Iterator[Found]:
    for called in calls_named(source, ("generate_password_hash",), of="flask_bcrypt"):
        if "bcrypt" not in called.call.function.lower():
            continue
        value = called.call.argument("rounds", 1)
        if value is None:
            require_whole(called.call, "rounds")
        elif value.data is not None:
            why = value.why or f"this call has it, whatever {_KEY} is"
            params = {"cost": whole(value, "rounds")}
            one = Found(hasher="bcrypt", params=params, line=value.line, why=why)
            yield one.unless(called.apart)
