#!/usr/bin/python
# Copyright (c) The hashcost authors
# MIT License (see LICENSE or https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: measure_info
short_description: Time password hashes on a host
version_added: 0.1.0
description:
  - Times hashes of a password of its own on the host, with the libraries that the host's logins
    and applications use, and returns the times. Nothing is installed or changed there.
  - The times are solved on the controller. Write RV(measured) to a file, as
    M(hashcost.calibrate.keep_measured) does, and C(calibrate compare),
    C(calibrate emit --from) and C(calibrate check --profile) read it like a saved profile.
  - Every library must compute known answers before it is timed.
options:
  hashers:
    description:
      - What to time. V(bcrypt), V(sha256-crypt), V(sha512-crypt) and V(yescrypt) are run by the
        host's libcrypt, the others by its Python's C(hashlib), which is OpenSSL.
    type: list
    elements: str
    choices:
      - bcrypt
      - pbkdf2-sha1
      - pbkdf2-sha256
      - pbkdf2-sha512
      - scrypt
      - sha256-crypt
      - sha512-crypt
      - yescrypt
    default: [bcrypt, pbkdf2-sha256, sha512-crypt, yescrypt]
  target:
    description:
      - Time that one hash may take, with its unit.
    type: str
    default: 250ms
  budget:
    description:
      - No hash is started that would end later than this.
    type: str
    default: 15s
  watch:
    description:
      - The core is watched for at least so long, so that a neighbour who slows it for a moment
        does not set the cost.
    type: str
    default: 4s
  label:
    description:
      - What to call the host in comparisons and decisions, usually C({{ inventory_hostname }}). By
        default, its own name.
    type: str
author:
  - The hashcost authors (!UNKNOWN)
attributes:
  check_mode:
    description: Can run in check mode, and does the same there.
    support: full
  diff_mode:
    description: Changes nothing, so there is no difference to show.
    support: none
seealso:
  - module: hashcost.calibrate.keep_measured
notes:
  - Hosts need Python 3.8 or newer and nothing else. The controller needs C(hashcost).
  - Guests of one hypervisor slow each other down. Set C(throttle) if your hosts share one.
"""

EXAMPLES = r"""
- name: Time the hashes of logins and of Django
  hashcost.calibrate.measure_info:
    target: 250ms
    hashers: [sha512-crypt, pbkdf2-sha256]
    label: "{{ inventory_hostname }}"
  register: timed

- name: Keep the times on the controller
  hashcost.calibrate.keep_measured:
    folder: "{{ playbook_dir }}/measured"
    hosts: "{{ ansible_play_batch }}"
    measured: "{{ ansible_play_batch | map('extract', hostvars, 'timed') }}"
  delegate_to: localhost
  run_once: true
"""

RETURN = r"""
measured:
  description:
    - All times, the host's facts and limits, its name, and when the run began and ended.
    - It holds no password, no salt and no hash, and of the machine id only a hash.
  returned: success
  type: dict
  contains:
    kind:
      description: What C(calibrate) knows it by.
      returned: success
      type: str
      sample: samples
    started:
      description: When the run began.
      returned: success
      type: str
      sample: "2026-11-22T16:00:00+00:00"
    ended:
      description: When the run ended.
      returned: success
      type: str
      sample: "2026-11-22T16:00:05+00:00"
    target_seconds:
      description: Time that one hash may take.
      returned: success
      type: float
      sample: 0.25
    host:
      description: The host's name and a hash of its machine id.
      returned: success
      type: dict
      sample: {"name": "web1", "id": "0ba4d6a2ba8f0e1cd76b3d2f6ea2b6aa"}
    hashers:
      description: For each hasher, its library with its version, its samples, or an error.
      returned: success
      type: list
      elements: dict
"""

import re

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.hashcost.calibrate.plugins.module_utils import measuring
from ansible_collections.hashcost.calibrate.plugins.module_utils.hashers import HASHERS

UNITS = {"ms": 1e-3, "s": 1.0}
LONGEST = 60.0


def seconds(module, name):
    """An option in seconds; a number without a unit may be meant as either."""
    text = module.params[name]
    found = re.match(r"(\d+(?:\.\d+)?)\s*(ms|s)\Z", text)
    value = float(found.group(1)) * UNITS[found.group(2)] if found else 0.0
    if not 0 < value <= LONGEST:
        module.fail_json(
            msg=f"{name}: write a duration with its unit, such as 250ms or 0.25s, up to"
            f" {LONGEST:.0f}s, not {text!r}"
        )
    return value


def main():
    """Time what is asked for; if nothing can be timed, fail."""
    module = AnsibleModule(
        argument_spec={
            "hashers": {
                "type": "list",
                "elements": "str",
                "choices": sorted(HASHERS),
                "default": ["bcrypt", "pbkdf2-sha256", "sha512-crypt", "yescrypt"],
            },
            "target": {"type": "str", "default": "250ms"},
            "budget": {"type": "str", "default": "15s"},
            "watch": {"type": "str", "default": "4s"},
            "label": {"type": "str"},
        },
        supports_check_mode=True,
    )
    target, budget, watch = (seconds(module, name) for name in ("target", "budget", "watch"))
    names = list(dict.fromkeys(module.params["hashers"]))
    measured = measuring.measure(names, target, budget, min(watch, budget), module.params["label"])
    if not any(each["samples"] for each in measured["hashers"]):
        told = "; ".join(f"{each['hasher']}: {each['error']}" for each in measured["hashers"])
        module.fail_json(msg=f"nothing could be timed: {told}" if told else "no hasher is named")
    module.exit_json(changed=False, measured=measured)


if __name__ == "__main__":
    main()
