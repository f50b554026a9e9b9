# Copyright (c) The hashcost authors
# MIT License (see LICENSE or https://opensource.org/license/mit)
"""The files of a host that match patterns, by names that the host did not choose."""

from __future__ import annotations

import fnmatch
import posixpath

from ansible.errors import AnsibleFilterError

DOCUMENTATION = r"""
name: included_files
short_description: The files that M(ansible.builtin.find) found on a host, if they match
version_added: 0.1.0
description:
  - Takes the results of a loop of M(ansible.builtin.find) over paths or patterns of files, and
    gives the paths of the files that it found.
  - A host may answer anything. One that returns a file that was not asked for fails.
author: The hashcost authors (!UNKNOWN)
options:
  _input:
    description: The results, each with its C(item) and its C(files).
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Look for what the files include
  ansible.builtin.find:
    paths: "{{ item | dirname }}"
    patterns: "{{ item | basename }}"
  loop: [/etc/postgresql/17/main/conf.d/*.conf]
  register: included

- name: Show them
  ansible.builtin.debug:
    msg: "{{ included.results | hashcost.calibrate.included_files }}"
"""

RETURN = r"""
_value:
  description: The paths.
  type: list
  elements: str
  sample: [/etc/postgresql/17/main/conf.d/10.conf]
"""


def included_files(results: list[dict[str, object]]) -> list[str]:
    """The paths of the files that were found.

    Raises:
        AnsibleFilterError: a file does not match the pattern that it was found for.
    """
    paths = []
    for result in results:
        folder, pattern = posixpath.split(str(result["item"]))
        for file in result.get("files", []):
            path = str(file.get("path")) if isinstance(file, dict) else ""
            name = posixpath.basename(path)
            matches = fnmatch.fnmatchcase(name, pattern) and name not in {"", ".", ".."}
            if not matches or posixpath.normpath(path) != posixpath.normpath(f"{folder}/{name}"):
                raise AnsibleFilterError(f"the host returned {path!r} for {result['item']!r}")
            paths.append(posixpath.join(folder, name))
    return paths


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, object]:
        """By their names."""
        return {"included_files": included_files}
