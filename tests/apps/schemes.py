"""Every scheme of the applications that this folder tests, and legal costs of each."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from hashcost.apps.interface import App, Limits, Scheme
from hashcost.apps.registry import app_names, load_app
from hashcost.core.measurement import Params

SYSTEM: Final = (
    "login-defs",
    "pam-unix",
    "mkpasswd",
    "htpasswd",
    "postgresql",
    "openldap",
    "dovecot",
    "grub",
    "luks",
)


def tunable(name: str) -> App:
    """An application that has a cost."""
    app = load_app(name)
    assert isinstance(app, App)
    return app


SCHEMES: Final = tuple(
    (app, scheme)
    for name in SYSTEM
    if name in app_names()
    for app in (tunable(name),)
    for scheme in app.schemes
)
IDS: Final = tuple(f"{app.name}-{scheme.hasher}" for app, scheme in SCHEMES)


def legal(scheme: Scheme) -> st.SearchStrategy[Params]:
    """Every cost that the application holds to, the ends of each range among them."""
    return st.fixed_dictionaries({name: _values(limits) for name, limits in scheme.limits.items()})


def _values(limits: Limits) -> st.SearchStrategy[int]:
    if limits.allowed:
        return st.sampled_from(limits.allowed)
    ends = st.sampled_from([limits.minimum, limits.maximum])
    return st.one_of(ends, st.integers(limits.minimum, limits.maximum))
