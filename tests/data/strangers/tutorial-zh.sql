USE ¶©µ¥
GO
CREATE ROUTE µ½²Ö¿â WITH SERVICE_NAME = N'//Àý/²Ö¿â', ADDRESS = N'TCP://cangku:4022'
GO
