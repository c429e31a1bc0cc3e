USE Orders
GO
DECLARE @s nvarchar(256), @a nvarchar(256), @sql nvarchar(max)
DECLARE c CURSOR FOR SELECT ServiceName, Address FROM dbo.RouteConfig
OPEN c
FETCH NEXT FROM c INTO @s, @a
WHILE @@FETCH_STATUS = 0
BEGIN
    SET @sql = N'CREATE ROUTE ' + QUOTENAME(@s) + N' WITH SERVICE_NAME = ''' + @s + N''', ADDRESS = ''' + @a + N''''
    EXEC (@sql)
    FETCH NEXT FROM c INTO @s, @a
END
CLOSE c
DEALLOCATE c
GO
