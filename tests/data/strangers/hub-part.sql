CREATE ROUTE ToHub WITH SERVICE_NAME = N'//hub/In', ADDRESS = N'TCP://$(Server):$(Port)'
