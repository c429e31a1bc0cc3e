"""The routing rules and the dialog protocol of Service Broker, as pure functions over frozen values.

Standard library only. No clock, socket, thread or random source: time and choices come in as arguments.
"""
