"""A probe that no runtime runs: it hashes at a speed that it makes up, and fails as it is told."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import Final

from hashcost.runtimes.session import Patience

IMPATIENT: Final = Patience(greeting=0.6, answer=0.6, times_longest=0.0)

_PROBE: Final = """\
#!{python} -IS
import hashlib, json, os, sys, time

mode = os.path.basename(sys.argv[0]).partition("-")[2]
timed = 0

def say(**message):
    print(json.dumps(message), flush=True)

def key(q):
    password, salt = bytes.fromhex(q["password"]), bytes.fromhex(q["salt"])
    return hashlib.pbkdf2_hmac(q["hasher"][7:], password, salt, q["params"]["iterations"])

def answer(q):
    global timed
    if q["library"] not in ("crypto", "openssl_pbkdf2", "own", "password_hash"):
        return dict(error="unavailable", message="no library " + q["library"])
    if q["op"] == "load":
        own = q["library"] == "password_hash"
        return dict(version="made up 1.0", salt="own" if own else "given")
    if q["op"] == "verify":
        return dict(match=mode == "gullible" or bytes.fromhex(q["password"]) == b"correct horse")
    if not q["hasher"].startswith("pbkdf2-"):
        return dict(error="failed", message="raises\\nin two lines")
    timed += 1
    if timed > 4 and mode == "dies":
        os.kill(os.getpid(), 9)
    if timed > 4 and mode == "hangs":
        time.sleep(60)
    if timed > 4 and mode == "works":
        with open(sys.argv[0] + ".pid", "w") as file:
            file.write(str(os.getpid()))
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
    if mode == "dawdles":
        with open(sys.argv[0] + ".pid", "w") as file:
            file.write(str(os.getpid()))
        time.sleep(0.2)
    if timed > 4 and mode == "babbles":
        os.write(1, b"x" * 100_000)
    if timed > 4 and mode == "lies":
        return dict(output=42)
    iterations = q["params"]["iterations"]
    cold = 3 if mode == "compiles" and timed < 60 else 1
    q["params"]["iterations"] = min(iterations, 2000)
    output = "00" if mode == "wrong" else key(q).hex()
    return dict(
        output=output, cpu=cold * iterations * 1e-7, wall=cold * iterations * 1.5e-7,
        **(dict(compiling=min(timed, 60) * 1e-2) if mode == "compiles" else {{}}),
    )

if mode == "absent":
    sys.exit(127)
if mode == "silent":
    time.sleep(60)
if mode == "refuses":
    sys.exit("a long story\\nthe last line of it")
if mode == "chatty":
    for line in range(20000):
        print("welcome to this machine")
if mode == "greets":
    print("Last login: never")
say(hashcost=2 if mode == "newer" else 1, runtime="fake 1.0", pid=os.getpid(), clock="fake clock")
if mode == "leaves":
    sys.exit(0)
for line in sys.stdin:
    q = json.loads(line)
    if q["op"] == "bye":
        break
    say(id=q["id"], **answer(q))
"""
"""It takes 100 ns an iteration, whatever the machine does, so that what is solved is exact."""


def fake(folder: Path, mode: str) -> str:
    """A command that behaves so, whatever it is told to run."""
    path = folder / f"runtime-{mode}"
    path.write_text(_PROBE.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
