USE A
GO
-- brokerui: {"route": {"name": "r"}}
-- brokerui: nonsense
-- brokerui: {"what": 1}
-- brokerui: {"route": {"name": "r", "address": "LOCAL", "x": 1}}
-- brokerui: {"drop": {"route": "x"}}
-- brokerui: {"place": {"routes": [["x", null]]}}
--brokerui: {"hop_limit": 1}
-- brokerui: {"hop_limit": 1000}
