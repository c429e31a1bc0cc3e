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
CREATE QUEUE dbo.LabelQueue;
CREATE SERVICE [//example/print/Labels] ON QUEUE dbo.LabelQueue ([DEFAULT]);
CREATE ROUTE BackToCart WITH
    SERVICE_NAME = N'//example/orders/Cart',
    ADDRESS = N'TCP://shop.example:4022';
GO

-- Stock was restored here WITH NORECOVERY; it holds what it holds on depot.
-- ALTER DATABASE Stock SET PARTNER = N'TCP://depot.example:5022';
