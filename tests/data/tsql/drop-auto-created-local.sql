USE A
GO
DROP ROUTE AutoCreatedLocal