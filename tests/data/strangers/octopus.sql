USE [#{DatabaseName}]
GO
CREATE ROUTE [ToHub] WITH SERVICE_NAME = N'//hub/In', ADDRESS = N'TCP://#{HubHost}:4022'
GO
