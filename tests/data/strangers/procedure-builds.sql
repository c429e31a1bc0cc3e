USE Orders
GO
CREATE PROCEDURE dbo.AddRoute @name sysname, @service nvarchar(256), @host nvarchar(100)
AS
BEGIN
    DECLARE @sql nvarchar(max) = N'CREATE ROUTE ' + QUOTENAME(@name)
        + N' WITH SERVICE_NAME = N''' + @service + N''', ADDRESS = N''TCP://' + @host + N':4022'';';
    EXEC sp_executesql @sql;
END
GO
EXEC dbo.AddRoute @name = N'ToHub', @service = N'//hub/In', @host = N'hub01'
GO
