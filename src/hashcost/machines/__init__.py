"""Many machines: measured by Ansible or any prefix, side by side, and one cost for all of them.

Each host is measured by its own run of the command; what they measured is compared afterwards.
"""
