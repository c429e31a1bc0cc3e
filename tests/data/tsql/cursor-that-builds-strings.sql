USE msdb
DECLARE @name sysname, @sql nvarchar(max)
DECLARE dbs CURSOR LOCAL FAST_FORWARD FOR SELECT name FROM sys.databases WHERE database_id > 4
OPEN dbs
FETCH NEXT FROM dbs INTO @name
WHILE @@FETCH_STATUS = 0
BEGIN
  SET @sql = N'USE ' + QUOTENAME(@name) + N';
    IF NOT EXISTS (SELECT 1 FROM sys.routes WHERE name = ''' + @name + N'Route'')
      CREATE ROUTE ' + QUOTENAME(@name + N'Route') + N' WITH SERVICE_NAME = ''' + @name + N''', ADDRESS = ''LOCAL'''
  EXEC (@sql)
  FETCH NEXT FROM dbs INTO @name
END
CLOSE dbs DEALLOCATE dbs
CREATE ROUTE done WITH ADDRESS = 'LOCAL'
