"""Authelia: ``authentication_backend.file.password`` in ``configuration.yml``.

Read in authelia/authelia at ebe3b195, internal/configuration/schema/authentication.go (defaults,
minimums and maximums of its JSON schema).
"""

from __future__ import annotations

from hashcost.apps.factors import GO
from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import Group, costs, log2, of_first_document, setting
from hashcost.apps.files.yaml_file import Value, values
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Write
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.model import Params

_ROOT = "authentication_backend.file.password"
_SCHEMA = "authelia/authelia, internal/configuration/schema/authentication.go"
_REFUSED = "Authelia does not start"
_ALGORITHMS = ("argon2", "sha2crypt", "pbkdf2", "scrypt", "bcrypt")
_VARIANTS = {
    "argon2": ("argon2id", "argon2i", "argon2d"),
    "sha2crypt": ("sha512", "sha256"),
    "pbkdf2": ("sha512", "sha384", "sha256", "sha224", "sha1"),
    "scrypt": ("scrypt", "yescrypt"),
    "bcrypt": ("standard", "sha256"),
}
"""Of each algorithm, the default first."""
_BEFORE_4_37 = {"argon2id": "argon2", "sha512": "sha2crypt"}


def _yaml(algorithm: str, **settings: object) -> str:
    lines = [
        "authentication_backend:",
        "  file:",
        "    password:",
        f"      algorithm: {algorithm}",
        f"      {algorithm}:",
        *(f"        {name}: {value}" for name, value in settings.items()),
    ]
    return "".join(line + "\n" for line in lines)


def _write_argon2(params: Params) -> str:
    return _yaml(
        "argon2",
        variant="argon2id",
        iterations=params["time_cost"],
        memory=params["memory_kib"],
        parallelism=params["parallelism"],
    )


def _write_scrypt(params: Params) -> str:
    return _yaml(
        "scrypt",
        iterations=params["n"].bit_length() - 1,
        block_size=params["r"],
        parallelism=params["p"],
    )


def _write_bcrypt(params: Params) -> str:
    return _yaml("bcrypt", variant="standard", cost=params["cost"])


def _writing(algorithm: str, variant: str, param: str) -> Write:
    def write(params: Params) -> str:
        return _yaml(algorithm, variant=variant, iterations=params[param])

    return write


def _group(found: tuple[Value, ...], algorithm: str) -> Group:
    """Where the cost of an algorithm is, by its variant."""
    variant = _one_of(found, f"{algorithm}.variant", _VARIANTS[algorithm])
    root = f"{_ROOT}.{algorithm}"
    if algorithm == "argon2":
        keys = {"time_cost": "iterations", "memory_kib": "memory", "parallelism": "parallelism"}
        hasher = variant
    elif algorithm == "scrypt":
        keys = {"n": "iterations", "r": "block_size", "p": "parallelism"}
        hasher = variant
    elif algorithm == "bcrypt":
        keys = {"cost": "cost"}
        hasher = "bcrypt"
    else:
        pbkdf2 = algorithm == "pbkdf2"
        keys = {"iterations" if pbkdf2 else "rounds": "iterations"}
        hasher = f"pbkdf2-{variant}" if pbkdf2 else f"{variant}-crypt"
    return Group(
        hasher=hasher,
        keys={param: f"{root}.{key}" for param, key in keys.items()},
        number={"n": log2},
    )


def _one_of(found: tuple[Value, ...], name: str, known: tuple[str, ...]) -> str:
    value = setting(found, f"{_ROOT}.{name}")
    text = known[0] if value is None else value.text.lower()
    text = _BEFORE_4_37.get(text, text) if name == "algorithm" else text
    if text not in known:
        line = 0 if value is None else value.line
        raise UnreadableInputError(
            f"line {line}: {_ROOT}.{name} is {printable(text)[:40]!r};"
            f" Authelia knows {', '.join(known)}"
        )
    return text


def _read(text: str) -> tuple[Found, ...]:
    found = of_first_document(values(text))
    named = setting(found, f"{_ROOT}.algorithm")
    algorithm = _one_of(found, "algorithm", _ALGORITHMS)
    told = (
        f"argon2 is used unless {_ROOT}.algorithm says otherwise"
        if named is None
        else f"{_ROOT}.algorithm is {algorithm}"
    )
    _refuse_yescrypt(found, algorithm)
    read = [
        each
        for name in _ALGORITHMS
        for each in costs(
            found,
            _group(found, name),
            used=name == algorithm,
            because="" if name == algorithm and named is not None else told,
            at=None if named is None else named.line,
        )
    ]
    return with_ranges(read, APP.schemes, APP.title)


def _refuse_yescrypt(found: tuple[Value, ...], algorithm: str) -> None:
    """Its N and r are free here, where the hasher of that name has one cost for both."""
    variant = setting(found, f"{_ROOT}.scrypt.variant")
    if variant is not None and algorithm == "scrypt" and variant.text.lower() == "yescrypt":
        raise UnreadableInputError(
            f"line {variant.line}: {variant.name} is yescrypt, whose N and r are not judged here"
        )


def _defaults(params: Params) -> tuple[Default, ...]:
    return (Default(since="4.37", params=params, source=_SCHEMA),)


def _counted(
    hasher: str, algorithm: str, variant: str, param: str, limits: Limits, default: int | None
) -> Scheme:
    return Scheme(
        hasher=hasher,
        library="go-crypt",
        timing=GO[hasher],
        keys={param: f"{_ROOT}.{algorithm}.iterations"},
        limits={param: limits},
        write=_writing(algorithm, variant, param),
        defaults=() if default is None else _defaults({param: default}),
    )


_PBKDF2 = Limits(minimum=100_000, maximum=2**31 - 1, beyond=_REFUSED)

APP = App(
    name="authelia",
    title="Authelia",
    schemes=(
        Scheme(
            hasher="argon2id",
            library="go-crypt",
            timing=GO["argon2id"],
            keys={
                "time_cost": f"{_ROOT}.argon2.iterations",
                "memory_kib": f"{_ROOT}.argon2.memory",
                "parallelism": f"{_ROOT}.argon2.parallelism",
            },
            limits={
                "time_cost": Limits(minimum=1, maximum=2**31 - 1, beyond=_REFUSED),
                "memory_kib": Limits(minimum=8, maximum=2**32 - 1, beyond=_REFUSED),
                "parallelism": Limits(minimum=1, maximum=2**24 - 1, beyond=_REFUSED),
            },
            write=_write_argon2,
            defaults=_defaults({"time_cost": 3, "memory_kib": 65536, "parallelism": 4}),
        ),
        Scheme(
            hasher="scrypt",
            library="go-crypt",
            timing=GO["scrypt"],
            keys={
                "n": f"{_ROOT}.scrypt.iterations (log2 of n)",
                "r": f"{_ROOT}.scrypt.block_size",
                "p": f"{_ROOT}.scrypt.parallelism",
            },
            limits={
                "n": Limits(minimum=2, maximum=1 << 58, beyond=_REFUSED),
                "r": Limits(minimum=1, maximum=36028797018963967, beyond=_REFUSED),
                "p": Limits(minimum=1, maximum=2**30 - 1, beyond=_REFUSED),
            },
            write=_write_scrypt,
            defaults=_defaults({"n": 65536, "r": 8, "p": 1}),
        ),
        _counted("pbkdf2-sha512", "pbkdf2", "sha512", "iterations", _PBKDF2, 310_000),
        _counted("pbkdf2-sha256", "pbkdf2", "sha256", "iterations", _PBKDF2, None),
        _counted(
            "sha512-crypt",
            "sha2crypt",
            "sha512",
            "rounds",
            Limits(minimum=1000, maximum=999_999_999, beyond=_REFUSED),
            50_000,
        ),
        Scheme(
            hasher="bcrypt",
            library="go-crypt",
            timing=GO["bcrypt"],
            keys={"cost": f"{_ROOT}.bcrypt.cost"},
            limits={"cost": Limits(minimum=10, maximum=31, beyond=_REFUSED)},
            write=_write_bcrypt,
            defaults=_defaults({"cost": 12}),
        ),
    ),
    comment="# {}",
    read=_read,
    places=("configuration.yml", "/config/configuration.yml", "/etc/authelia/configuration.yml"),
    rehashes="never; a password change is needed",
    sources=(_SCHEMA,),
    note="AUTHELIA_AUTHENTICATION_BACKEND_FILE_PASSWORD_… in the environment overrides the file.",
)
