# Copyright (c) The hashcost authors
# MIT License (see LICENSE or https://opensource.org/license/mit)
"""The decided cost in the terms of Ansible's own filter password_hash."""

from __future__ import annotations

import tomllib

DOCUMENTATION = r"""
name: password_hash_cost
short_description: The decided cost for ansible.builtin.password_hash
version_added: 0.1.0
description:
  - Reads a decision of C(calibrate compare --decision), and gives the cost of one type of hash as
    the arguments that P(ansible.builtin.password_hash#filter) takes.
author: The hashcost authors (!UNKNOWN)
positional: hashtype
options:
  _input:
    description: The text of the decision, as P(ansible.builtin.file#lookup) gives it.
    type: str
    required: true
  hashtype:
    description: The type of hash.
    type: str
    choices: [bcrypt, sha256, sha512]
    default: sha512
"""

EXAMPLES = r"""
- name: Create a user whose password hash has the decided cost
  ansible.builtin.user:
    name: deploy
    password: "{{ password | ansible.builtin.password_hash(salt=salt, **cost) }}"
  vars:
    decision: "{{ lookup('ansible.builtin.file', 'decision.toml') }}"
    cost: "{{ decision | hashcost.calibrate.password_hash_cost('sha512') }}"
  no_log: true
"""

RETURN = r"""
_value:
  description: The arguments C(hashtype) and C(rounds), and C(ident) for V(bcrypt).
  type: dict
  sample: {"hashtype": "bcrypt", "rounds": 12, "ident": "2b"}
"""

TYPES = {
    "bcrypt": ("bcrypt", "cost", {"ident": "2b"}),
    "sha256": ("sha256-crypt", "rounds", {}),
    "sha512": ("sha512-crypt", "rounds", {}),
}
CHECKS_LOGINS = "libcrypt"
"""The library that hosts check passwords with, whatever made the hash."""


def password_hash_cost(decision: str, hashtype: str = "sha512") -> dict[str, object]:
    """The arguments for password_hash.

    Raises:
        ValueError: there is no such type, the text is no decision, or it has no such cost.
    """
    if hashtype not in TYPES:
        raise ValueError(f"no hash type {hashtype!r}; choose bcrypt, sha256 or sha512")
    hasher, name, others = TYPES[hashtype]
    costs = {
        each["implementation"]: each["params"][name]
        for each in tomllib.loads(decision).get("cost", [])
        if each["hasher"] == hasher
    }
    if not costs:
        raise ValueError(
            f"the decision has no cost for {hasher}; measure it, and compare with --decision"
        )
    rounds = costs.get(CHECKS_LOGINS, min(costs.values()))
    return {"hashtype": hashtype, "rounds": rounds, **others}


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, object]:
        """By their names."""
        return {"password_hash_cost": password_hash_cost}
