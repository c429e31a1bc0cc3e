USE Auftr„ge
GO
CREATE ROUTE ZumLager WITH SERVICE_NAME = N'//firma/Lagerbest„nde', ADDRESS = N'TCP://lager:4022'
GO
