USE A
GO
SET @sql = 'CREATE ROUTE ' + @n + ' WITH ADDRESS = ' + CHAR(39) + 'LOCAL' + CHAR(39)
EXEC(@sql)