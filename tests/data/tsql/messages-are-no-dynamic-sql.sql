USE A
GO
PRINT 'CREATE ROUTE r'
RAISERROR('DROP SERVICE failed', 16, 1)
SELECT 'create table x', 'route'