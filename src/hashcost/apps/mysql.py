"""MySQL: ``caching_sha2_password_digest_rounds`` in ``my.cnf``.

Read in mysql/mysql-server 9.7: sql/auth/i_sha2_password.h (rounds are stored as thousands in
three hexadecimal digits); worklog 14281 for the variable.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.ini_entries import Entry, entries
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing
from hashcost.core.model import Params

_KEY = "caching_sha2_password_digest_rounds"
_SOURCE = "mysql/mysql-server, sql/auth/i_sha2_password.h; worklog 14281"
_ROUNDS = Limits(
    minimum=5000, maximum=4_095_000, step=1000, beyond="taken as the nearest, with a warning"
)
_SECTION = re.compile(r"mysqld|server|mysqld-[0-9.]{1,8}")
_SUFFIXES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _write(params: Params) -> str:
    return f"[mysqld]\n{_KEY} = {params['rounds']}\n"


def _found(entry: Entry) -> Found:
    text = entry.value.strip("'\"")
    factor = _SUFFIXES.get(text[-1:].lower(), 1)
    written = whole_number(text if factor == 1 else text[:-1], _KEY, entry.line) * factor
    rounds = _ROUNDS.nearest(written)
    found = Found(hasher="sha256-crypt", params={"rounds": rounds}, line=entry.line)
    if rounds == written:
        return found
    why = f"MySQL takes multiples of 1000 from 5000 to 4095000, so {rounds} instead of {written}"
    return replace(found, why=why, written=entry.value)


def _is_it(entry: Entry) -> bool:
    name = entry.name.lower().replace("-", "_").removeprefix("loose_")
    return name == _KEY and _SECTION.fullmatch(entry.section) is not None


def _read(text: str) -> tuple[Found, ...]:
    lines = entries(text, folded=False, bare_keys=True, inline_comments=("#",))
    return last_wins([_found(each) for each in lines if _is_it(each)], "the last one counts")


APP = App(
    name="mysql",
    title="MySQL",
    schemes=(
        Scheme(
            hasher="sha256-crypt",
            library="MySQL's own sha256-crypt",
            timing=Timing(
                implementation="passlib",
                source="it runs OpenSSL's SHA-256 (mysys/crypt_genhash_impl.cc), as hashlib does"
                " for passlib; taken for equal, not measured",
            ),
            keys={"rounds": f"{_KEY} (a multiple of 1000)"},
            limits={"rounds": _ROUNDS},
            write=_write,
            defaults=(Default(since="8.0", params={"rounds": 5000}, source=_SOURCE),),
            note="the server keeps a fast digest of who has logged in, so the time is that of a"
            " first login; from 9.7 on, PBKDF2 can be stored instead",
        ),
    ),
    comment="# {}",
    read=_read,
    places=("/etc/my.cnf", "/etc/mysql/my.cnf", "/etc/mysql/mysql.conf.d/mysqld.cnf"),
    rehashes="never; a password change is needed",
    sources=(_SOURCE,),
    note="Files that !includedir names come after and override it.",
)
