"""What guessing costs an attacker: published speeds as data, scaled to a cost."""
