"""Which applications there are; a file of this folder each, imported when it is asked for."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Final

from hashcost.apps.interface import App, Untunable
from hashcost.core.errors import UnknownNameError

_MODULES: Final = {
    "django": "django",
    "passlib": "passlib",
    "werkzeug": "werkzeug",
    "flask-bcrypt": "flask_bcrypt",
    "argon2-cffi": "argon2_cffi",
    "pwdlib": "pwdlib",
    "ansible": "ansible",
    "laravel": "laravel",
    "php": "php",
    "symfony": "symfony",
    "wordpress": "wordpress",
    "spring": "spring",
    "rails": "rails",
    "devise": "devise",
    "aspnet-identity": "aspnet_identity",
    "node-bcrypt": "node_bcrypt",
    "node-bcryptjs": "node_bcryptjs",
    "node-crypto": "node_crypto",
    "go-bcrypt": "go_bcrypt",
    "elixir": "elixir",
    "login-defs": "login_defs",
    "pam-unix": "pam_unix",
    "mkpasswd": "mkpasswd",
    "htpasswd": "htpasswd",
    "postgresql": "postgresql",
    "openldap": "openldap",
    "dovecot": "dovecot",
    "grub": "grub",
    "luks": "luks",
    "redis": "redis",
    "rabbitmq": "rabbitmq",
    "grafana": "grafana",
    "minio": "minio",
    "keycloak": "keycloak",
    "gitea": "gitea",
    "authelia": "authelia",
    "foreman": "foreman",
    "kratos": "kratos",
    "nextcloud": "nextcloud",
    "vaultwarden": "vaultwarden",
    "elasticsearch": "elasticsearch",
    "opensearch": "opensearch",
    "caddy": "caddy",
    "mongodb": "mongodb",
    "mysql": "mysql",
    "kafka": "kafka",
}
"""Each application's name with its module, in the order that they are listed in."""


def app_names() -> tuple[str, ...]:
    """The names of all applications."""
    return tuple(_MODULES)


def load_app(name: str) -> App | Untunable:
    """An application by its name.

    Raises:
        UnknownNameError: there is none; the message offers a near one.
    """
    module = _MODULES.get(name)
    if module is None:
        near = difflib.get_close_matches(name.lower(), _MODULES, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else "`calibrate apps` lists them"
        raise UnknownNameError(f"no application {name[:60]!r}; {hint}", name)
    found: App | Untunable = import_module(f"hashcost.apps.{module}").APP
    return found
