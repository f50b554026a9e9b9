"""Time against cost: many costs of several hashers in one run, and tables published elsewhere."""
