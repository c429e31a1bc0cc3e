"""The statements whose results can be pasted: sums of one database, with its name and no message body."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = """\
SELECT DB_NAME() AS database_name, from_service_name, to_service_name, to_broker_instance, transmission_status,
       COUNT_BIG(*) AS messages, MIN(enqueue_time) AS oldest
FROM sys.transmission_queue WITH (NOLOCK)
GROUP BY from_service_name, to_service_name, to_broker_instance, transmission_status;
"""
CONVERSATIONS: Final = """\
SELECT DB_NAME() AS database_name, s.name AS service_name, e.far_service, e.is_initiator, e.state, a.age_days,
       COUNT_BIG(*) AS endpoints
FROM sys.conversation_endpoints AS e WITH (NOLOCK)
LEFT JOIN sys.services AS s ON s.service_id = e.service_id
CROSS APPLY (SELECT DATEDIFF(hour, CASE WHEN e.lifetime > DATEADD(year, 20, GETUTCDATE())
    THEN DATEADD(second, -2147483647, e.lifetime) ELSE e.lifetime END, GETUTCDATE()) AS hours) AS h
CROSS APPLY (SELECT CASE WHEN h.hours < 0 THEN NULL WHEN h.hours < 24 THEN 0 WHEN h.hours < 168 THEN 1
    WHEN h.hours < 720 THEN 7 WHEN h.hours < 4320 THEN 30 ELSE 180 END AS age_days) AS a
GROUP BY s.name, e.far_service, e.is_initiator, e.state, a.age_days;
"""
ERROR_LOG: Final = "EXEC master.sys.xp_readerrorlog 0, 1;\n"
