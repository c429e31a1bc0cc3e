USE Orders
GO
CREATE ROUTE [To{{ hub }}] WITH SERVICE_NAME = N'//hub/In', ADDRESS = N'TCP://{{ hub_host }}:4022'
GO
