"""How fast the machine itself is at this moment, measured without the tool.

A cloud machine's clock speed moves with its neighbours on the host. Fixed work,
timed beside each run, tells a reader how much of a spread is the machine's own.
"""

from __future__ import annotations

import hashlib
import time
from typing import Final

_ITERATIONS: Final = 10_000
_UNTIMED: Final = 10
"""A core that was idle is slow at first."""
_TIMED: Final = 20


def reference() -> float:
    """Thread CPU seconds of fixed PBKDF2 work: the second smallest of twenty times."""
    times = []
    for _ in range(_UNTIMED + _TIMED):
        start = time.thread_time()
        hashlib.pbkdf2_hmac("sha512", b"reference-pw", b"reference--salt-", _ITERATIONS)
        times.append(time.thread_time() - start)
    return sorted(times[_UNTIMED:])[1]
