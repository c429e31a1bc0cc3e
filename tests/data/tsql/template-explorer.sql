-- =========================================
-- Create Service Broker template
-- =========================================
USE <database_name, sysname, AdventureWorks>
GO
CREATE QUEUE <schema_name, sysname, dbo>.<queue_name, sysname, q>
GO
CREATE SERVICE <service_name, sysname, s> ON QUEUE <queue_name, sysname, q>
GO
USE A
CREATE ROUTE [<route_name, sysname, r>] WITH ADDRESS = N'<address, nvarchar(256), LOCAL>'
CREATE ROUTE a WITH LIFETIME = <seconds, int, 60>, ADDRESS = 'LOCAL'
CREATE ROUTE b WITH ADDRESS = 'LOCAL' <more_clauses, , >
<statement,,>;
CREATE ROUTE c WITH ADDRESS = 'LOCAL'
