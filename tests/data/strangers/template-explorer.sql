-- =============================================
-- Create route template
-- =============================================
USE <database_name, sysname, AdventureWorks>
GO
CREATE ROUTE <route_name, sysname, test_route>
WITH
   SERVICE_NAME = N'<service_name, nvarchar(256), test_service>',
   ADDRESS = N'TCP://<host, sysname, localhost>:4022'
GO
