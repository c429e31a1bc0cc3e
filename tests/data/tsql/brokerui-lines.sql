-- brokerui: {"hop_limit": 3}
-- brokerui: {"instance": {"name": "other", "addresses": ["tcp://x:1"], "forwarding": true}}
USE A
-- brokerui: {"database": {"broker_instance": "{5FB8D92B-ED69-4C80-AFBB-2AA6A7D3CB2D}", "mirroring_role": "MIRROR"}}
-- brokerui: {"route": {"name": "r", "address": "LOCAL", "broker_instance": "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"}}
-- brokerui: {"route": {"name": "r", "lifetime": "2030-01-01T00:00:00Z"}}
-- brokerui: {"service": {"name": "s"}}
-- brokerui: {"drop": {"route": "AutoCreatedLocal"}}
