"""The programs that write a format of hashes, and what they can hash with instead. Pure."""

from collections.abc import Sequence
from typing import Final

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app
from hashcost.apps.untunable import Untunable
from hashcost.recommend.emission import emit_command
from hashcost.stored.formats.reading import HashReading
from hashcost.stored.formats.registry import apps_of

USUAL: Final = "argon2id"
"""The hasher to move to, where no policy approves only certain ones: OWASP's first choice."""


def programs_of(reading: HashReading) -> tuple[App, ...]:
    """List the programs that write the format, if all of them are known applications."""
    names = apps_of(reading.format)
    if not set(names) <= set(app_names()):
        return ()
    apps = [load_app(name) for name in names]
    return tuple(app for app in apps if isinstance(app, App))


def without_setting(reading: HashReading) -> Untunable | None:
    """Find the only program that writes the format, if no cost can be set there."""
    names = apps_of(reading.format)
    if len(names) != 1 or names[0] not in app_names():
        return None
    app = load_app(names[0])
    if isinstance(app, Untunable):
        return app
    return None


def only_program(programs: Sequence[App]) -> App | None:
    """Take the only program that writes a format; `None` if there are several."""
    if len(programs) == 1:
        return programs[0]
    return None


def usual_of(app: App) -> tuple[str, ...]:
    """Name the hasher to move to: the usual one if the application has it, else its default."""
    if app.scheme(USUAL) is not None:
        return (USUAL,)
    return (app.schemes[0].hasher,)


def set_again(app: App) -> str:
    """Say how a password that an application keeps gets a better hash."""
    (hasher,) = usual_of(app)
    advice = f"set the password again with {hasher}"
    command = emit_command(app, hasher)
    if command:
        advice = f"{advice}, as `{command}` writes it"
    # Another program reads what this one writes.
    if app.each_request:
        advice = f"{advice}, if what reads the file takes that"
    return advice
