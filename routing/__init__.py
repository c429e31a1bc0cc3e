"""The routing rules and the dialog protocol of Service Broker, as pure functions over frozen values.

Standard library only. No clock, socket, thread or random source: time and choices come in as arguments.

`routing.api` is what programs that use the engine import (docs/reference/engine.md).

Rooms, each importing only from those below it (held by import-linter, see pyproject.toml):

- `simulation`: whole networks of instances, driven from one seed
- `remedies`, `certificate`: what mends a finding; the certificate of a change
- `runtime`: one running instance; here the dialog protocol meets the routing rules
- `lint`, `catalog`, `diff`: findings; saved catalogs of instances; what a change does to all traffic
- `dialog`, `tsql`, `classes`, `testing`: conversations; scripts in and out; classes of traffic; routing tests
- `documents`, `mirror`, `security`: JSON documents; mirrored routes at run time; keys and protection
- `rules`, `adjacent`: the routing rules; frames, fragments and connections between two instances
- `model`, `verification`: estates, routes, addresses; a second reading of the rules, for certificates
- `common`: errors, sentences, names, times, identifiers
"""
