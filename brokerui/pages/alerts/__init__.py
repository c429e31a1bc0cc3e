"""Alerts: those that are open, their history, rules, channels and silences."""
