USE master
GO
SELECT 1
USE tempdb