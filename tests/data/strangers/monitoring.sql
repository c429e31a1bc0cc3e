USE msdb
GO
CREATE QUEUE dbo.DeadlockQueue
GO
CREATE SERVICE DeadlockService ON QUEUE dbo.DeadlockQueue ([http://schemas.microsoft.com/SQL/Notifications/PostEventNotification])
GO
CREATE ROUTE DeadlockRoute WITH SERVICE_NAME = 'DeadlockService', ADDRESS = 'LOCAL'
GO
CREATE EVENT NOTIFICATION CaptureDeadlocks ON SERVER WITH FAN_IN FOR DEADLOCK_GRAPH TO SERVICE 'DeadlockService', 'current database'
GO
