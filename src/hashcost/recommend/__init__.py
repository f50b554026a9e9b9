"""From a measurement and a target to the setting to use, on this machine or for an application."""
