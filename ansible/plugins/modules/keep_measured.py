#!/usr/bin/python
# Copyright (c) The hashcost authors
# MIT License (see LICENSE or https://opensource.org/license/mit)

from __future__ import annotations

DOCUMENTATION = r"""
module: keep_measured
short_description: Keep what hosts measured, in a file for each
version_added: 0.1.0
description:
  - Writes what M(hashcost.calibrate.measure_info) returned on many hosts into a folder, in one
    task on the controller. A task for each host would take longer than measuring it.
  - C(calibrate compare) reads the folder. A host that was not measured keeps the file that it has.
options:
  folder:
    description:
      - The folder. It is made if it is absent.
    type: path
    required: true
  measured:
    description:
      - What the hosts returned as C(measured). Each is called by the name that it has within.
    type: list
    elements: dict
    required: true
author:
  - The hashcost authors (!UNKNOWN)
attributes:
  check_mode:
    description: Can run in check mode, and says what would change.
    support: full
  diff_mode:
    description: Shows no difference; every run takes other times.
    support: none
seealso:
  - module: hashcost.calibrate.measure_info
"""

EXAMPLES = r"""
- name: Keep the times of all hosts
  hashcost.calibrate.keep_measured:
    folder: "{{ playbook_dir }}/measured"
    measured: "{{ ansible_play_batch | map('extract', hostvars, ['timed', 'measured']) }}"
  delegate_to: localhost
  run_once: true
"""

RETURN = r"""
files:
  description: The files that changed.
  returned: success
  type: list
  elements: str
  sample: ["measured/web1.json"]
"""

import json
import tempfile
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule


def content_of(path):
    """The bytes of a file; none if there is no file."""
    return path.read_bytes() if path.is_file() else b""


def main():
    """Write each file whole, or not at all."""
    module = AnsibleModule(
        argument_spec={
            "folder": {"type": "path", "required": True},
            "measured": {"type": "list", "elements": "dict", "required": True},
        },
        supports_check_mode=True,
    )
    folder = Path(module.params["folder"])
    documents = {}
    for each in module.params["measured"]:
        name = (each.get("host") or {}).get("name") or "."
        if each.get("kind") != "samples" or name.startswith(".") or Path(name).name != name:
            module.fail_json(
                msg=f"measured: {name!r} is no host that measure_info could have measured"
            )
        documents[folder / f"{name}.json"] = json.dumps(each, sort_keys=True).encode()
    changed = {path: text for path, text in documents.items() if text != content_of(path)}
    if not module.check_mode:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        for path, text in changed.items():
            with tempfile.NamedTemporaryFile(dir=module.tmpdir, delete=False) as whole:
                whole.write(text)
            module.atomic_move(whole.name, str(path))
    module.exit_json(changed=bool(changed), files=sorted(map(str, changed)))


if __name__ == "__main__":
    main()
