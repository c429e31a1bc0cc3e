CREATE ROUTE [ToBilling]
    AUTHORIZATION [dbo]
    WITH SERVICE_NAME = N'//corp/Billing', ADDRESS = N'TCP://$(BillingHost):$(BillingPort)';

