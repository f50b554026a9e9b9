"""A page to show: ``page.py`` is what it says, ``html.py`` lays it out as one file."""
