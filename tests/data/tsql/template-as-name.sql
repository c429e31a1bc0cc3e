USE A
GO
CREATE ROUTE <route_name, sysname, MyRoute> WITH ADDRESS = 'LOCAL'