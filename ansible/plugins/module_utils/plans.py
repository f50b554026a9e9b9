# Copyright (c) The hashcost authors
# MIT License (see LICENSE or https://opensource.org/license/mit)
"""Which hashes to time within a budget. What is solved from them is solved on the controller.

A plan is a generator: it yields a request, and is sent the CPU seconds of the hash that was asked
for. It ends with what it needs; what it yields after that only watches the core for longer.
"""

from __future__ import annotations

import math

MEASURABLE = 2e-3
"""Seconds: from here on a clock tells the time of one hash."""
GROWTH = 4
LOWEST = 3
SAMPLES = 12
BESIDE = 4
IN_MEMORY = 6
BEYOND = 1.15
"""A first hash in fresh memory takes longer; a step that takes so many targets is too slow."""


class Request:
    """Time one hash at ``params``, which takes about this long; ``needed`` or not."""

    def __init__(self, params, expected=0.0, *, needed=True):
        self.params = params
        self.expected = expected
        self.needed = needed


def plan(known, target, room):
    """The plan of one hasher; ``room`` is the memory that one hash may take."""
    knobs, lowest = known["knobs"], known["lowest"]
    if knobs[0]["scale"] != "ladder":
        return _counted(knobs[0], lowest, target)
    steps = zip(knobs[0]["steps"], known["memory_bytes"])
    return _in_memory(knobs, lowest, target, [step for step, needed in steps if needed <= room])


def _counted(knob, lowest, target):
    """Up from the lowest to what a clock can tell, many hashes there, and some at the target."""
    name, doubles = knob["name"], knob["scale"] == "log2"

    def at(value):
        return dict(lowest, **{name: min(max(value, knob["minimum"]), knob["maximum"])})

    def work(value):
        return 2.0**value if doubles else float(value)

    value, least = lowest[name], math.inf
    for _index in range(LOWEST):
        least = min(least, (yield Request(at(value))))
    while least < MEASURABLE and value < knob["maximum"]:
        value = at(value + 2 if doubles else value * GROWTH)[name]
        least = yield Request(at(value), least * GROWTH)
        least = min(least, (yield Request(at(value), least)))
    if least <= 0:
        return
    unit = least / work(value)
    units = max(min(target, MEASURABLE) / unit, 1.0)
    value = at(int(units).bit_length() if doubles else int(units))[name]
    times = []
    for index in range(SAMPLES):
        times.append((yield Request(at(value), unit * work(value))))
        if index % BESIDE == 0 and value > lowest[name]:
            yield Request(lowest)
    unit = sorted(times)[1] / work(value)
    for there in _around(target / unit, doubles):
        yield Request(at(there), unit * work(at(there)[name]))
    while True:
        yield Request(at(value), unit * work(value), needed=False)


def _around(units, doubles):
    """The cost that takes about the target; of steps the one below and the one above."""
    if doubles:
        below = max(int(units), 1).bit_length() - 1
        return [below, below + 1]
    digits = 10 ** max(0, len(str(int(units))) - 3)
    return [int(units) // digits * digits]


def _in_memory(knobs, lowest, target, steps):
    """Each step of memory until one takes too long, then the passes that fill the time left."""
    ladder, known = knobs[0], []
    for step in steps:
        params = dict(lowest, **{ladder["name"]: step})
        expected = known[-1][1] * 2 if known else 0.0
        least = yield Request(params, expected)
        if least <= target * BEYOND:
            least = min(least, (yield Request(params, least)))
        if least > target:
            break
        known.append((params, least))
    settings = []
    for params, least in known[-2:]:
        passes = int(target / least) if len(knobs) > 1 else 1
        for count in sorted({1, passes}):
            turned = {knobs[1]["name"]: count} if count > 1 else {}
            settings.append((dict(params, **turned), least * count))
    for _index in range(IN_MEMORY):
        for params, expected in settings:
            yield Request(params, expected)
    while settings:
        yield Request(settings[-1][0], settings[-1][1], needed=False)
