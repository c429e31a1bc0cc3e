USE <database_name, sysname, A>
GO
CREATE ROUTE r WITH ADDRESS = 'LOCAL'