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
  - Only the inventory names files. What a host returned for another host is refused, and so is
    what C(calibrate) cannot read.
options:
  folder:
    description:
      - The folder. It is made if it is absent.
    type: path
    required: true
  hosts:
    description:
      - The names of the hosts in the inventory. Each must have been measured with this name as
        O(hashcost.calibrate.measure_info#module:label).
    type: list
    elements: str
    required: true
  measured:
    description:
      - What the task returned on each of these hosts, in the same order.
    type: list
    elements: dict
    required: true
  calibrate:
    description:
      - The command C(calibrate) on the controller.
    type: path
    default: calibrate
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
    hosts: "{{ ansible_play_batch }}"
    measured: "{{ ansible_play_batch | map('extract', hostvars, 'timed') }}"
  delegate_to: localhost
  run_once: true
  register: kept

- name: Fail a host whose times are not its own
  ansible.builtin.fail:
    msg: "{{ kept.refused[inventory_hostname] }}"
  when: inventory_hostname in kept.refused
"""

RETURN = r"""
files:
  description: The files that changed.
  returned: success
  type: list
  elements: str
  sample: ["measured/web1.json"]
refused:
  description: Why nothing of a host was kept, by its name in the inventory.
  returned: success
  type: dict
  sample: {"web2": "its document is called 'web1'"}
"""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

READ = (0, 3, 4, 5)
"""The codes of calibrate for a document that it can read, whatever comes of the target."""
SECONDS = 60
"""For reading one."""


def content_of(path):
    """The bytes of a file; none if there is no file."""
    return path.read_bytes() if path.is_file() else b""


def problem_of(host, document):
    """Why a document is not that of a host; empty if it is."""
    if not host or host.startswith(".") or Path(host).name != host:
        return "its name in the inventory cannot name a file"
    if not isinstance(document, dict) or document.get("kind") != "samples":
        return "it returned nothing that measure_info could have measured"
    named = document.get("host")
    name = named.get("name") if isinstance(named, dict) else None
    if name != host:
        return f"its document is called {name!r}; give measure_info the label inventory_hostname"
    return ""


def refusal_of(calibrate, path):
    """Why calibrate does not read a document; empty if it does."""
    command = [calibrate, "--from", path.name, "--format", "json", "--quiet"]
    try:
        ended = subprocess.run(  # noqa: S603 (a program and its words)
            command, cwd=path.parent, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{path.name} takes longer than {SECONDS} s to read"
    if ended.returncode in READ:
        return ""
    said = ended.stderr.decode("utf-8", "replace").strip().rpartition("--from: ")[2]
    return said or "calibrate cannot read it"


def main():
    """Write each file whole, or not at all."""
    module = AnsibleModule(
        argument_spec={
            "folder": {"type": "path", "required": True},
            "hosts": {"type": "list", "elements": "str", "required": True},
            "measured": {"type": "list", "elements": "dict", "required": True},
            "calibrate": {"type": "path", "default": "calibrate"},
        },
        supports_check_mode=True,
    )
    calibrate = module.get_bin_path(module.params["calibrate"], required=True)
    folder, scratch = Path(module.params["folder"]), Path(module.tmpdir)
    documents, refused = {}, {}
    for host, returned in zip(module.params["hosts"], module.params["measured"]):
        document = returned.get("measured")
        problem = problem_of(host, document)
        if problem:
            refused[host] = problem
            continue
        content = json.dumps(document, sort_keys=True).encode()
        if content != content_of(folder / f"{host}.json"):
            documents[host] = scratch / f"{host}.json"
            documents[host].write_bytes(content)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        refusals = pool.map(lambda path: refusal_of(calibrate, path), documents.values())
        refused.update((host, why) for host, why in zip(documents, refusals) if why)
    changed = {folder / path.name: path for host, path in documents.items() if host not in refused}
    if not module.check_mode:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        for path, whole in changed.items():
            module.atomic_move(str(whole), str(path))
    module.exit_json(changed=bool(changed), files=sorted(map(str, changed)), refused=refused)


if __name__ == "__main__":
    main()
