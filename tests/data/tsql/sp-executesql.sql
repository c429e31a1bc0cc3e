USE A
GO
EXEC sp_executesql N'create queue [dbo].[q];
drop service s'