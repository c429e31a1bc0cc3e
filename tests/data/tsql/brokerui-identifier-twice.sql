USE A
-- brokerui: {"database": {"broker_instance": "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"}}
USE B
-- brokerui: {"database": {"broker_instance": "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"}}
ALTER DATABASE B SET DISABLE_BROKER
-- brokerui: {"database": {"broker_instance": "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"}}
ALTER DATABASE B SET ENABLE_BROKER
ALTER DATABASE B SET NEW_BROKER
