"""Serves random logins with a library alone.

``python -m tests.tools.benchmarks.plain_load HASHER PARAMS LOGINS_PER_SECOND SECONDS WORKERS``

It knows nothing of the tool. Logins arrive at moments drawn beforehand (Poisson, given
how many come) and wait for one of the threads in the order of arrival; nobody waits
for them. It prints as JSON how many seconds all took, ``lasted``, when each one was
``due``, and its ``responses``: the seconds from then to its hash's end.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time

from .plain import prepare

_LEAD_SECONDS = 0.1


def main() -> None:
    """Serve the logins."""
    hasher, params = sys.argv[1], json.loads(sys.argv[2])
    rate, seconds, workers = float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
    count = round(rate * seconds)
    due = sorted(random.uniform(0, seconds) for _ in range(count))
    responses = [0.0] * count
    following = iter(range(count))
    calls = [prepare(hasher, params) for _ in range(workers)]
    for call in calls:
        call()
    start = time.perf_counter() + _LEAD_SECONDS

    def serve(index: int) -> None:
        call = calls[index]
        for login in following:
            moment = start + due[login]
            early = moment - time.perf_counter()
            if early > 0:
                time.sleep(early)
            call()
            responses[login] = time.perf_counter() - moment

    threads = [threading.Thread(target=serve, args=(index,)) for index in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lasted = max(moment + response for moment, response in zip(due, responses, strict=True))
    json.dump({"lasted": lasted, "due": due, "responses": responses}, sys.stdout)


if __name__ == "__main__":
    main()
