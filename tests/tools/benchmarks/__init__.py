"""Figures of the installed command, each beside a peer, the machine or a limit.

``python -m tests.tools.benchmarks`` runs them all. They print figures and judge them
against limits, but a missed limit is no failure: times depend on the machine.
"""
