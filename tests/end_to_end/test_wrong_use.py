"""Every command refuses what cannot be meant in a line that says what to change."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, QUICK, calibrate

ABSENT: Final = "cannot read absent.json"
BROKEN: Final = "half.json is incomplete or broken JSON"
HUGE: Final = "9" * 50_000
ESCAPE: Final = "\x1b[31m\x07"
NAME_A_COST: Final = "that is not a cost such as bcrypt=12; put a hash on standard input"

REFUSED: Final = (
    ("compare", "Missing argument"),
    ("compare p.json p.json", "name at least two"),
    ("compare p.json absent.json", ABSENT),
    ("compare p.json other.json", "other.json is not a profile"),
    ("compare .", "bent.json is damaged"),
    ("compare p.json newer.json", "newer.json has schema 3, newer than the 1"),
    ("compare p.json q.json --hasher argon2id", "no file has 'argon2id'; choose sha512-crypt"),
    ("compare p.json q.json --target 2h", "--target"),
    ("compare p.json q.json -o no/where", "cannot write no/where"),
    ("compare p.json q.json --lower", "--lower needs a decision"),
    ("compare p.json q.json --decision p.json", "that is read"),
    ("compare p.json q.json --decision other.json", "other.json is not a decision"),
    ("compare p.json q.json --decision no/where.toml", "cannot write no/where.toml"),
    ("emit django --from none.toml", "--from: cannot read none.toml"),
    ("capacity", "HASHER"),
    ("capacity bcrypt=12 scrypt", "unexpected"),
    ("capacity bcrypt=3", "cost from 4 to 31"),
    ("capacity bcrypt=31", "takes about"),
    ("capacity bcrypt=12 --target 40ms", "--target"),
    ("capacity bcrypt=12 --from p.json", "--from"),
    ("capacity yescrypt --from p.json", "yescrypt is not in the profile"),
    ("capacity bcrypt --logins 20/s", "--p95"),
    ("capacity bcrypt --p95 250ms", "--logins"),
    ("capacity bcrypt --logins 20 --p95 250ms", "20/min"),
    ("capacity bcrypt=12 --logins 20/s --p95 250ms", "without a cost"),
    ("capacity bcrypt --logins 9/s --p95 1s --target 1s", "--target"),
    ("capacity argon2id --memory-total 4MiB", "--memory-total: the process itself uses"),
    ("capacity argon2id --memory-total 999999GiB", "that this process may use; lower it"),
    ("capacity bcrypt=4 --output no/where", "--output"),
    ("fleet", "no host given"),
    ("fleet -- -oProxyCommand=x", "is not the name of a host"),
    ("fleet web1 --hosts bad.txt", "--hosts: line 2: '-x' is not the name of a host"),
    ("fleet web1 --exec ssh", "--exec names no host"),
    ("fleet web1 --exec 'ssh {hostname}'", "there is no {hostname}"),
    ("fleet web1 --limit web", "--limit needs an inventory"),
    ("fleet web1 --lower", "--lower needs a decision"),
    ("fleet web1 --hasher md5", "unknown hasher 'md5'"),
    ("fleet web1 --jobs 0", "--jobs"),
    ("fleet web1 --save bad.txt", "bad.txt"),
    ("report", "Missing argument"),
    ("report p.json -o no/x.html", "--output: cannot write no/x.html"),
    ("sweep", "name a hasher to sweep"),
    ("sweep bcrypt --costs six", "--costs"),
    ("sweep bcrypt --plot x.gif", "must end with one of .svg, .png, .pdf"),
    ("sweep --plot bcrypt", "put --plot last"),
    ("sweep bcrypt --plot=- --format json", "--plot draws below the table"),
    ("sweep bcrypt --save -", "--save needs a file"),
    ("sweep bcrypt --save x.svg --plot x.svg", "name the same file"),
    ("sweep bcrypt --params t=2", "--params"),
    ("sweep bcrypt=5 bcrypt=6", "named twice"),
    ("audit", "name a file of hashes, `-` for standard input, or --database URL"),
    ("audit .", "cannot read the file: is a directory"),
    ("audit -", "no hashes found; name another file or column"),
    ("audit users.db", "an SQLite database; read it with --database sqlite:///FILE"),
    ("audit - --app toy", "unknown application '(not shown: it may be a secret)'; name one"),
    ("audit - --query 'SELECT 1'", "--query needs --database URL"),
    ("audit - --database sqlite://", "--database replaces FILE, --layout and"),
    ("audit --database sqlite://", "--database needs a --query, such as 'SELECT password"),
    ("audit - --target 40", "has no unit; write 40ms for milliseconds or 40s"),
    ("audit - --layout hash --column 2", "--column does not apply to --layout "),
    ("audit - --layout csv", "--column: name the column of the hashes"),
    ("explain", "nothing to explain"),
    ("explain bcrypt=" + "9" * 30, "that is not a cost; write for example bcrypt=12 or argon2id="),
    ("explain bcrypt", NAME_A_COST),
    ("explain '$2b$10$dEadBEef'", NAME_A_COST),
    (
        "explain bcrypt=12 --app django",
        "--app applies only to a hash, not to a cost; leave it out",
    ),
    ("bcrypt --target 40", "--target': '40' has no unit; write 40ms"),
    ("bcrypt --target 0ms", "above zero"),
    (f"bcrypt --target {HUGE}ms", "--target"),
    (f"sweep bcrypt --budget '{ESCAPE}40ms'", "not a duration"),
    ("--target 61s", "60 s"),
    ("argon2id --memory 64", "64MiB"),
    ("argon2id --memory 1000000GiB", "1000000 GiB"),
    ("argon2id --parallelism 0", "--parallelism"),
    ("bcrypt@libcrypto", "bcrypt@libcrypt"),
    ("''", "`calibrate list hashers`"),
    (HUGE, "unknown hasher"),
    (f"'bcrypt{ESCAPE}\n'", "did you mean bcrypt?"),
    (f"'--explain{ESCAPE}'", "--explain"),
    ("--format xml", "--format"),
    ("--effort sideways", "--effort"),
    ("--from p.json --all", "--all"),
    ("bcrypt --output no/result", "--output"),
    ("bcrypt --save .", "--save"),
    ("bcrypt --save new --output ./new", "--save"),
    ("bcrypt --save link --output new", "--save"),
    ("bcrypt --policy owsap", "--policy: unknown policy 'owsap'; did you mean owasp?"),
    ("bcrypt --policy ./absent", "no such file"),
    ("bcrypt --policy other.json", "--policy"),
    ("bcrypt --gpu rtx-4091", "--gpu: unknown device 'rtx-4091'; did you mean rtx-4090?"),
    (f"bcrypt --gpu {HUGE}", "rtx-4090"),
    ("check --app laravl", "unknown application 'laravl'; did you mean laravel?"),
    ("check --app redis", "Redis has no cost to set"),
    ("check --app symfony", "no Symfony file found (looked for"),
    ("check --app laravel absent.env", "cannot read absent.env: no such file"),
    ("check --app laravel .", "cannot read .: is a directory"),
    ("check --app-version 3 bcrypt=9", "--app-version needs --app APP"),
    ("check --app laravel --import", "--import works only with --app django"),
    ("emit vaultwarden --apply .env --diff .env", "choose one of them"),
    ("emit vaultwarden --lower", "--lower goes with --diff FILE or --apply FILE"),
    ("emit vaultwarden --apply absent", "cannot read absent: no such file or directory"),
    ("emit vaultwarden --apply .env -o .env", "--output would overwrite a file that is read"),
    ("emit grafana", "has no cost to set"),
    ("--from half.json", BROKEN),
    ("--from other.json", "--from: other.json is not a hashcost profile"),
    ("--from newer.json", "newer.json has schema 3, newer than the 1 this version knows; upgrade"),
    ("--from bent.json", "--from: bent.json"),
    ("--from .", "--from"),
    ("pbkdf2", "did you mean pbkdf2-sha1, pbkdf2-sha256 or pbkdf2-sha512?"),
    ("Bcrypt", "did you mean bcrypt?"),
    ("xyzzy", "unknown hasher 'xyzzy'; `calibrate list hashers` lists them"),
    ("bcrypt@libcrpyt", "choose bcrypt@bcrypt or bcrypt@libcrypt"),
    ("bcrypt=12", "did you mean `calibrate check bcrypt=12`?"),
    ("40ms", "did you mean `calibrate --target 40ms`?"),
    ("help", "did you mean `calibrate --help`?"),
    ("version", "did you mean `calibrate --version`?"),
    ("chekc", "did you mean `calibrate check`?"),
    ("--targte 40ms", "did you mean --target?"),
    ("--cost 12", "a cost is an argument, such as `calibrate check bcrypt=12`"),
    ("--nothing-like-it", "`calibrate --help` lists them"),
    ("emit node", "did you mean node-bcrypt, node-bcryptjs or node-crypto?"),
    ("bcrypt cost=12", "did you mean `calibrate check 'bcrypt cost=12'`?"),
    ("help check", "did you mean `calibrate check --help`?"),
    ("check --from", "requires an argument; `calibrate check --help` shows an example"),
    ("list apps --in node", "--in applies only to `calibrate list hashers`"),
    ("check --quiet=3", "`calibrate check --help` shows an example"),
    ("check bcrypt=9 --from absent.json", "make it with `calibrate --save absent.json`"),
    ("Bcrypt --from p.json", "did you mean bcrypt?"),
    ("bcrypt=12 --from p.json", "did you mean `calibrate check bcrypt=12`?"),
    ("scrypt --from p.json", "add it with `calibrate scrypt --save FILE`"),
    ("report p.json", "`calibrate report p.json -o report.html`"),
    ("bcrypt --policy OWASP", "did you mean owasp?"),
    ("bcrypt --gpu rtx-4090 --gpu none", "--gpu: one device is enough; name it once"),
    ("report p.json -o page.pdf", "write it to page.html, which a browser prints to PDF"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two profiles, and with files that are not what a command reads."""
    folder = tmp_path_factory.mktemp("inputs")
    text = MADE_UP.read_text("utf-8")
    bent = json.loads(text)
    bent["results"][0]["hasher"] = "\x1b[31mred"
    for name, content in {
        "p.json": text,
        "q.json": text.replace("AMD EPYC", "other"),
        "half.json": text[:-9],
        "other.json": "{}",
        "newer.json": json.dumps({**bent, "schema": 3}),
        "bent.json": json.dumps(bent),
        "bad.txt": "web1\n-x\n",
        ".env": "PASSWORD_ITERATIONS=650000\n",
        "users.db": "SQLite format 3\0",
    }.items():
        (folder / name).write_text(content, "utf-8")
    (folder / "link").symlink_to("new")
    return folder


@pytest.mark.parametrize(("typed", "message"), REFUSED, ids=[typed[:60] for typed, _ in REFUSED])
def test_what_cannot_be_meant_is_refused(typed: str, message: str, folder: Path) -> None:
    """The line is printable and short, the code is 2, and no file is made or changed."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()}
    ended = calibrate(*shlex.split(typed), cwd=folder)

    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert ended.err.startswith("calibrate: ")
    assert message in ended.err
    assert ended.err[:-1].isprintable()
    assert len(ended.err) < 500
    assert "dEadBEef" not in ended.err
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()}


@pytest.mark.parametrize(
    ("hashers", "limit", "words"),
    [
        ("pbkdf2-sha1 argon2id", "--memory 4KiB", ("1.00 MiB", "4.00 KiB", "--memory")),
        ("pbkdf2-sha1 bcrypt", "--target 200us", ("even the lowest cost", "raise --target")),
        (
            "pbkdf2-sha1 argon2id",
            "--memory 1MiB --parallelism 129",
            ("raise --memory",),
        ),
    ],
)
def test_out_of_reach(hashers: str, limit: str, words: tuple[str, ...]) -> None:
    """A hasher that stays within a limit is recommended beside one that cannot, whose row says
    what its lowest cost takes; the code is 5.
    """
    options = (*hashers.split(), *QUICK, *limit.split(), "--format", "json")
    ended = calibrate(*options)
    measured, failed = json.loads(ended.out)["results"]

    assert (5, "measured", "unreachable") == (ended.code, measured["status"], failed["code"])
    assert failed["error"].isprintable()
    assert all(word in failed["error"] for word in words)
