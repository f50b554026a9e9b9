"""Pictures of a `chart.Figure`: ``terminal.py`` draws text, ``files.py`` SVG, PNG and PDF.

A command describes what is to be seen, such as ``sweep.py`` here, and never draws.
"""
