USE A
GO
/****** Object:  ServiceRoute [AutoCreatedLocal] ******/
CREATE ROUTE [AutoCreatedLocal]   AUTHORIZATION [dbo]   WITH  ADDRESS  = N'LOCAL' 