# Copyright (c) The hashcost authors
# MIT License (see LICENSE or https://opensource.org/license/mit)
"""Times the hashers of a host in rounds, within a budget, and says what came of each."""

from __future__ import annotations

import binascii
import gc
import random
import time

from ansible_collections.hashcost.calibrate.plugins.module_utils import host, plans, probe
from ansible_collections.hashcost.calibrate.plugins.module_utils.hashers import (
    HASHERS,
    PASSWORD,
    READINGS,
    SALT,
)

STALE = 8e-3
"""Seconds after which a reading of the core tells nothing any more."""
SHARE = 4
"""One hash takes a quarter of the memory that is free: logins come several at a time."""
DIGITS = 9
"""Of a second: no clock tells more."""
UNKNOWN_ROOM = 64 << 20
FAILURE = b"*".hex()
"""What the probe makes of no answer."""
SETTINGS = {
    "bcrypt": "$2b${cost:02d}$",
    "sha256-crypt": "$5$rounds={rounds}$",
    "sha512-crypt": "$6$rounds={rounds}$",
    "yescrypt": "$y$",
}


class WrongAnswer(Exception):
    """A library computed something else than it must: its hashes are not timed."""


class Hasher:
    """One hasher that is timed."""

    def __init__(self, name):
        self.name = name
        self.known = HASHERS[name]
        self.samples = []
        self.version = ""
        self.error = None
        self.request = None
        self.plan = None

    def load(self, target, room):
        """Find the library, compute the known answers, and make the first request."""
        self.version = probe.answer(self.asked("load"))["version"]
        for known in self.known["known_answers"]:
            told = self.hash(known["params"], known["password"], known["salt"])
            if told["output"] == FAILURE:
                raise probe.Unavailable(f"this libcrypt has no {self.name}")
            if self.written(told["output"]) != known["output"]:
                raise WrongAnswer("computed a wrong hash for a known answer")
        self.plan = plans.plan(self.known, target, room)
        self.request = next(self.plan)

    def take(self, at):
        """Time the hash that is due."""
        params = self.request.params
        told = self.hash(params, PASSWORD, SALT)
        self.check(params, told["output"])
        self.samples.append(
            {
                "params": params,
                "cpu_seconds": round(told["cpu"], DIGITS),
                "wall_seconds": round(told["wall"], DIGITS),
                "system_seconds": round(told["system"], DIGITS),
                "page_faults": told["faults"],
                "at_seconds": round(at, DIGITS),
            }
        )
        self.request = None
        self.request = self.plan.send(told["cpu"])

    def written(self, output):
        """An output as the known answers are written: a key in hexadecimal, a crypt string not."""
        return (
            output
            if self.known["length"]
            else binascii.unhexlify(output).decode("ascii", "replace")
        )

    def hash(self, params, password, salt):
        """Hash once, in this process."""
        return probe.answer(self.asked("time", params=params, password=password, salt=salt))

    def asked(self, op, **given):
        """What the probe is asked."""
        return dict(
            given,
            op=op,
            hasher=self.name,
            library=self.known["library"],
            length=self.known["length"],
        )

    def check(self, params, output):
        """See that it is a hash at these params, not a failure token or another cost."""
        setting = SETTINGS.get(self.name, "").format(**params)
        if not self.written(output).startswith(setting) or len(output) < 2 * self.known["length"]:
            raise WrongAnswer("returned no hash of the cost that was asked for")


class Core:
    """Readings of how busy the core is with something else: two short hashes each."""

    def __init__(self):
        self.parts = [(Hasher(name), params) for name, params in READINGS]
        self.readings = []
        try:
            for hasher, _params in self.parts:
                hasher.load(1.0, 0)
            self.read()
        except Exception:  # pylint: disable=broad-except
            self.parts = []  # This libcrypt has no bcrypt: nothing tells.

    def look(self, at):
        """Take a reading, unless the last one is fresh."""
        fresh = self.readings and at - self.readings[-1]["at_seconds"] < STALE
        if not self.parts or fresh:
            return
        latency, throughput = self.read()
        if latency > 0 and throughput > 0:
            self.readings.append(
                {
                    "at_seconds": round(at, DIGITS),
                    "latency_seconds": round(latency, DIGITS),
                    "throughput_seconds": round(throughput, DIGITS),
                }
            )

    def read(self):
        """CPU seconds of the latency-bound and of the throughput-bound part."""
        return [hasher.hash(params, PASSWORD, SALT)["cpu"] for hasher, params in self.parts]


def measure(names, target, budget, watch, label):
    """All samples of these hashers, with what the controller needs to know of the host."""
    started, files = host.now(), host.texts()
    free = host.free_memory(files)
    room = UNKNOWN_ROOM if free is None else free // SHARE
    hashers = [Hasher(name) for name in names]
    for hasher in hashers:
        _failing_alone(hasher, lambda each=hasher: each.load(target, room))
    collects = gc.isenabled()
    gc.disable()
    try:
        core, began = Core(), time.monotonic()
        _time(hashers, core, began, budget, watch)
    finally:
        if collects:
            gc.enable()
    return {
        "kind": "samples",
        "schema": 1,
        "started": started,
        "ended": host.now(),
        "duration_seconds": time.monotonic() - began,
        "target_seconds": target,
        "host": host.identity(label),
        "libraries": host.libraries(),
        "memory_limit_bytes": room,
        "clock": "process_time",
        "password_bytes": len(PASSWORD) // 2,
        "salt_bytes": len(SALT) // 2,
        "files": files,
        "files_after": host.changing(),
        "readings": core.readings,
        "hashers": [
            {
                "hasher": each.name,
                "implementation": each.known["implementation"],
                "implementation_version": each.version,
                "samples": each.samples,
                "error": each.error,
            }
            for each in hashers
        ],
    }


def _time(hashers, core, began, budget, watch):
    """Take a sample of each hasher in turn, so that all share whatever the host does meanwhile."""
    while True:
        elapsed = time.monotonic() - began
        due = [each for each in hashers if each.request is not None]
        if elapsed >= watch:
            due = [each for each in due if each.request.needed]
        if not due:
            return
        for hasher in random.sample(due, len(due)):
            at = time.monotonic() - began
            if at + hasher.request.expected > budget:
                hasher.request = None
                continue
            core.look(at)
            at = time.monotonic() - began
            _failing_alone(hasher, lambda each=hasher, now=at: each.take(now))
            core.look(time.monotonic() - began)


def _failing_alone(hasher, step):
    """Whatever goes wrong with one hasher leaves the others alone."""
    try:
        step()
    except StopIteration:
        hasher.request = None
    except Exception as error:  # pylint: disable=broad-except
        hasher.request = None
        hasher.error = (str(error) or type(error).__name__).partition("\n")[0][:200]
