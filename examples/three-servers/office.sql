-- The server "office": the books, a second printer, and the mirror of Stock.

USE master;
GO
CREATE ENDPOINT BrokerEndpoint STATE = STARTED AS TCP (LISTENER_PORT = 4022)
    FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS, ENCRYPTION = SUPPORTED);
GO
CREATE DATABASE Ledger;
GO
ALTER DATABASE Ledger SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE;
GO
USE Ledger;
GO
-- brokerui: {"database": {"broker_instance": "3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d03"}}
CREATE QUEUE dbo.LedgerQueue;
CREATE SERVICE [//example/ledger/Post] ON QUEUE dbo.LedgerQueue ([DEFAULT]);
CREATE SERVICE [//example/ledger/Archive] ON QUEUE dbo.LedgerQueue ([DEFAULT]);
CREATE SERVICE [//example/ledger/Invoice] ON QUEUE dbo.LedgerQueue ([DEFAULT]);
CREATE SERVICE [//example/ledger/Correct] ON QUEUE dbo.LedgerQueue ([DEFAULT]);

CREATE ROUTE BackToCart WITH
    SERVICE_NAME = N'//example/orders/Cart',
    ADDRESS = N'TCP://shop.example:4022';
CREATE ROUTE BackToInvoicing WITH
    SERVICE_NAME = N'//example/stock/Invoicing',
    ADDRESS = N'TCP://depot.example:4022';

-- Dynamic routing: whatever has no route is asked for at shop.
-- FAULT: from now on that holds for the services of this very server too, until each has a LOCAL route by name.
CREATE ROUTE AskForRoutes WITH
    SERVICE_NAME = N'SQL/ServiceBroker/BrokerConfiguration',
    ADDRESS = N'TCP://shop.example:4022';
GO

CREATE DATABASE Printing;
GO
ALTER DATABASE Printing SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE;
GO
USE Printing;
GO
-- brokerui: {"database": {"broker_instance": "3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d08"}}
CREATE QUEUE dbo.LabelQueue;
CREATE SERVICE [//example/print/Labels] ON QUEUE dbo.LabelQueue ([DEFAULT]);
CREATE ROUTE BackToCart WITH
    SERVICE_NAME = N'//example/orders/Cart',
    ADDRESS = N'TCP://shop.example:4022';
GO

-- Stock was restored here WITH NORECOVERY and made a mirror. Nobody can use a mirror, so what it holds is told in
-- comments; it is what the principal holds.
-- brokerui: {"database": {"name": "Stock", "broker_instance": "3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d01", "mirroring_role": "MIRROR"}}
-- brokerui: {"queue": {"name": "dbo.ReserveQueue"}}
-- brokerui: {"queue": {"name": "dbo.InvoicingQueue"}}
-- brokerui: {"service": {"name": "//example/stock/Reserve", "queue": "dbo.ReserveQueue", "contracts": ["DEFAULT"]}}
-- brokerui: {"service": {"name": "//example/stock/Invoicing", "queue": "dbo.InvoicingQueue"}}
-- brokerui: {"route": {"name": "AutoCreatedLocal", "address": "LOCAL"}}
-- brokerui: {"route": {"name": "BackToCart", "remote_service_name": "//example/orders/Cart", "address": "TCP://shop.example:4022"}}
-- brokerui: {"route": {"name": "InvoicesOverShop", "remote_service_name": "//example/ledger/Invoice", "address": "TCP://shop.example:4022"}}
-- brokerui: {"route": {"name": "CorrectRoute", "remote_service_name": "CorrectRoute", "address": "TCP://office.example:4022"}}

USE msdb;
GO
-- brokerui: {"database": {"broker_instance": "3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d09"}}
GO
