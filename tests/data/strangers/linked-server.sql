EXEC ('USE Stock; CREATE ROUTE Back WITH SERVICE_NAME = ''//shop/Out'', ADDRESS = ''TCP://shop:4022''') AT [DEPOT]
GO
EXEC [DEPOT].[Stock].sys.sp_executesql N'CREATE ROUTE Back2 WITH SERVICE_NAME = ''//shop/Out'', ADDRESS = ''TCP://shop:4022'''
GO
