"""A probe that no runtime runs: it hashes at a speed that it makes up, and fails as it is told."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Final

from hashcost.runtimes.elsewhere import Elsewhere
from hashcost.runtimes.hasher import ElsewhereHasher
from hashcost.runtimes.session import Patience

IMPATIENT: Final = Patience(greeting=0.6, answer=0.6, times_longest=0.0)


def loaded(elsewhere: Elsewhere, label: str) -> ElsewhereHasher:
    """The hasher of this label; its runtime is started."""
    runtime = label.partition("@")[2].partition(":")[0]
    candidates = {candidate.label: candidate for candidate in elsewhere.candidates(runtime)}
    hasher = candidates[label].load()
    assert isinstance(hasher, ElsewhereHasher)
    return hasher


_PROBE: Final = """\
#!{python} -IS
import hashlib, json, os, sys, threading, time

mode = os.path.basename(sys.argv[0]).partition("-")[2]
timed, later = 0, False
if mode in ("alone", "restless", "unlike"):  # The first that starts behaves.
    try:
        open(sys.argv[0] + ".first", "x").close()
    except FileExistsError:
        later = True
recorded, hash, done, compiled = [], 0, 0, 0.0
if mode == "replays":
    with open(sys.argv[0] + ".json") as file:
        recorded = json.load(file)

def replayed(iterations):
    # The next so many iterations of the recording, whose last quarter goes on for ever.
    global hash, done, compiled
    spent = dict(cpu=0.0, wall=0.0)
    while iterations:
        whole, cpu, wall, compiling = recorded[hash]
        part = min(iterations, whole - done)
        spent["cpu"] += cpu * part / whole
        spent["wall"] += wall * part / whole
        iterations, done, compiled = iterations - part, done + part, max(compiled, compiling)
        if done == whole:
            hash, done = hash + 1, 0
        if hash == len(recorded):
            hash = 3 * hash // 4
    return dict(spent, compiling=compiled)

def say(**message):
    print(json.dumps(message), flush=True)

def key(q):
    password, salt = bytes.fromhex(q["password"]), bytes.fromhex(q["salt"])
    name = "sha256" if q["hasher"] == "argon2id" else q["hasher"][7:]
    return hashlib.pbkdf2_hmac(name, password, salt, q["params"]["iterations"])

def answer(q):
    global timed
    if q["library"] not in (
        "crypto", "openssl_pbkdf2", "own", "password_hash", "jca", "bouncycastle"
    ):
        return dict(error="unavailable", message="no library " + q["library"])
    if q["op"] == "load":
        own = q["library"] == "password_hash"
        return dict(version="made up 1.0", salt="own" if own else "given")
    if q["op"] == "verify":
        return dict(match=mode == "gullible" or bytes.fromhex(q["password"]) == b"correct horse")
    if q["library"] == "bouncycastle" and q["hasher"] == "argon2id":
        # It takes what so many iterations take.
        q["params"]["iterations"] = q["params"]["memory_kib"]
    elif not q["hasher"].startswith("pbkdf2-"):
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
    cold = 3 if mode == "compiles" and timed < 60 else 1.2 if later else 1
    fills = mode == "swells" or (mode == "grows" and timed % 20 < 8)
    if fills:
        cold = 8
    q["params"]["iterations"] = min(iterations, 2000)
    output = "00" if mode == "wrong" else key(q).hex()
    if mode == "replays":
        return dict(output=output, **replayed(iterations))
    if mode == "sleeps":
        began = time.monotonic()
        time.sleep(0.02)
        return dict(output=output, cpu=0.0, wall=time.monotonic() - began)
    return dict(
        output=output, cpu=cold * iterations * 1e-7, wall=cold * iterations * 1.5e-7,
        **(dict(compiling=min(timed, 60) * 1e-2) if mode == "compiles" else {{}}),
        **(dict(compiling=timed * 1e-2) if mode == "restless" and later else {{}}),
        **(dict(compiling=0.0) if mode in ("grows", "swells") else {{}}),
        faults=20_000 if fills else 0,
    )

if mode == "absent":
    sys.exit(127)
if mode == "silent":
    time.sleep(60)
if mode == "refuses" or (mode == "alone" and later):
    sys.exit("a long story\\nthe last line of it")
if mode == "chatty":
    for line in range(20000):
        print("welcome to this machine")
if mode == "greets":
    print("Last login: never")
thread = dict()
if mode in ("threads", "threaded"):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
if mode == "threaded":
    thread = dict(thread=threading.get_native_id())
say(
    hashcost=2 if mode == "newer" else 1, runtime="fake 1.0", pid=os.getpid(),
    clock="fake clock", **thread,
)
if mode == "leaves":
    sys.exit(0)
for line in sys.stdin:
    q = json.loads(line)
    if q["op"] == "bye":
        break
    say(id=q["id"], **answer(q))
"""
"""It takes 100 ns an iteration, whatever the machine does, so that what is solved is exact."""


def fake(folder: Path, mode: str, recorded: object = None) -> str:
    """A command that behaves so, whatever it is told to run."""
    if recorded is not None:
        (folder / f"runtime-{mode}.json").write_text(json.dumps(recorded))
    compiler = folder / "javac"
    if not compiler.exists():
        compiler.symlink_to("/bin/true")
    path = folder / f"runtime-{mode}"
    path.write_text(_PROBE.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
