"""Hashes the way a login does: ``python -m tests.tools.benchmarks.login HASHER PARAMS``.

A server does other work between two logins, so a hash finds little of its memory in the caches.
Here a thread answers other requests meanwhile, from a database through templates. ``PARAMS`` is
a JSON object, names as the tool has them. It prints the thread CPU time of each hash, in
seconds, as a JSON list.

A Flask application on waitress, with one login and 27 other requests a second, took as long
within 1.5 % (argon2id, scrypt and yescrypt at 40 ms; 2 CPUs, AMD EPYC, 2026-11-27).
"""

import json
import random
import sqlite3
import sys
import threading
import time
from typing import Final

from jinja2 import DictLoader, Environment

from .plain import prepare

_LOGINS: Final = 15
_LOGINS_A_SECOND: Final = 4
_OTHERS_A_SECOND: Final = 120
"""Thirty between two logins, as in a server with a login a second."""
_UNTIMED: Final = 3
"""A process's first hashes get fresh memory, until malloc's thresholds have grown (mallopt(3))."""

_ARTICLES: Final = 3000
_SHOWN: Final = 30
_WORDS: Final = ("block", "cache", "green", "hash", "login", "memory", "night", "river", "stone")
_TEMPLATES: Final = {
    "site": "<title>{{ word }}</title>{% for other in words %}<a href='/{{ other }}'>"
    "{{ other|title }}</a>{% endfor %}{% block main %}{% endblock %}",
    "articles": "{% extends 'site' %}{% block main %}{% for title, body in articles %}"
    "<h2>{{ title|upper }}</h2><p>{{ body|truncate(200)|escape }}</p>{% endfor %}{% endblock %}",
}


def main() -> None:
    """Time the hashes of logins among other requests."""
    hasher, params = sys.argv[1], json.loads(sys.argv[2])
    call = prepare(hasher, params)
    for _ in range(_UNTIMED):
        call()
    threading.Thread(target=_answer_others, daemon=True).start()
    taken = []
    for _ in range(_LOGINS):
        _wait(_LOGINS_A_SECOND)
        start = time.thread_time()
        call()
        taken.append(time.thread_time() - start)
    json.dump(taken, sys.stdout)


def _answer_others() -> None:
    """Answer requests without end."""
    database = _database()
    pages = Environment(loader=DictLoader(_TEMPLATES), autoescape=True)
    while True:
        _wait(_OTHERS_A_SECOND)
        word = random.choice(_WORDS)
        found = database.execute(
            "SELECT title, body FROM articles WHERE title LIKE ? ORDER BY score LIMIT ?",
            (f"%{word}%", _SHOWN),
        )
        pages.get_template("articles").render(word=word, words=_WORDS, articles=found.fetchall())


def _database() -> sqlite3.Connection:
    """Articles of random words, in memory."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE articles (title TEXT, body TEXT, score REAL)")
    for _ in range(_ARTICLES):
        title = " ".join(random.choices(_WORDS, k=6))
        body = " ".join(random.choices(_WORDS, k=200))
        database.execute("INSERT INTO articles VALUES (?, ?, ?)", (title, body, random.random()))
    return database


def _wait(a_second: float) -> None:
    """Wait for the next of requests that come at random, so many a second."""
    time.sleep(random.expovariate(a_second))


if __name__ == "__main__":
    main()
