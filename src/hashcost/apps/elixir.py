"""Elixir's bcrypt_elixir, argon2_elixir and pbkdf2_elixir: ``config/config.exs``."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import ELIXIR_ARGON2, ELIXIR_BCRYPT
from hashcost.apps.interface import App, Default, Limits, Scheme
from hashcost.core.model import Params


def _write_bcrypt(params: Params) -> str:
    return f"config :bcrypt_elixir, log_rounds: {params['cost']}\n"


def _write_argon2id(params: Params) -> str:
    log2 = params["memory_kib"].bit_length() - 1
    return (
        f"config :argon2_elixir, t_cost: {params['time_cost']}, m_cost: {log2},"
        f" parallelism: {params['parallelism']}, argon2_type: 2\n"
    )


def _write_pbkdf2(params: Params) -> str:
    return f"config :pbkdf2_elixir, rounds: {params['iterations']}\n"


APP = App(
    name="elixir",
    title="Elixir (bcrypt_elixir and kin)",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="bcrypt_elixir's C",
            timing=ELIXIR_BCRYPT,
            keys={"cost": "log_rounds (log2)"},
            limits={"cost": Limits(minimum=4, maximum=31, beyond="taken for the nearest")},
            write=_write_bcrypt,
            defaults=(
                Default(since="1.0", params={"cost": 12}, source="hexdocs.pm/bcrypt_elixir"),
            ),
        ),
        Scheme(
            hasher="argon2id",
            library="argon2_elixir's libargon2",
            timing=ELIXIR_ARGON2,
            keys={
                "memory_kib": "m_cost (log2 of KiB)",
                "time_cost": "t_cost",
                "parallelism": "parallelism",
            },
            limits={
                "memory_kib": Limits(
                    minimum=8, maximum=2**31, allowed=tuple(2**k for k in range(3, 32))
                ),
                "time_cost": Limits(minimum=1, maximum=2**32 - 1),
                "parallelism": Limits(minimum=1, maximum=2**24 - 1),
            },
            write=_write_argon2id,
            defaults=(
                Default(
                    since="4.0",
                    params={"memory_kib": 65536, "time_cost": 3, "parallelism": 4},
                    source="riverrun/argon2_elixir, lib/argon2/base.ex, read 2026-08",
                ),
            ),
        ),
        Scheme(
            hasher="pbkdf2-sha512",
            library="pbkdf2_elixir, whose loop is Elixir",
            timing=None,
            keys={"iterations": "rounds"},
            limits={"iterations": Limits(minimum=1, maximum=2**32 - 1)},
            write=_write_pbkdf2,
            defaults=(
                Default(
                    since="2.0", params={"iterations": 160_000}, source="hexdocs.pm/pbkdf2_elixir"
                ),
            ),
            note="its loop of iterations is Elixir, several times slower than OpenSSL's: time it"
            " there with Pbkdf2.Stats.report, or use bcrypt_elixir",
        ),
    ),
    comment="# {}",
    read=reader(
        "elixir", libraries=("bcrypt_elixir", "argon2_elixir", "pbkdf2_elixir"), calls=("config",)
    ),
    places=("config/config.exs", "config/runtime.exs", "config/prod.exs"),
    rehashes="never by itself",
    sources=("github.com/riverrun",),
)
