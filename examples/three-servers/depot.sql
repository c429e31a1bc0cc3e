-- The server "depot": the warehouse. Stock is the principal of a mirrored database; its mirror is on office.

USE master;
GO
CREATE ENDPOINT BrokerEndpoint STATE = STARTED AS TCP (LISTENER_PORT = 4022)
    FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS, ENCRYPTION = SUPPORTED);
GO
CREATE DATABASE Stock;
GO
ALTER DATABASE Stock SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE;
ALTER DATABASE Stock SET PARTNER = N'TCP://office.example:5022';
GO
USE Stock;
GO
CREATE QUEUE dbo.ReserveQueue;
CREATE QUEUE dbo.InvoicingQueue;
CREATE SERVICE [//example/stock/Reserve] ON QUEUE dbo.ReserveQueue ([DEFAULT]);
CREATE SERVICE [//example/stock/Invoicing] ON QUEUE dbo.InvoicingQueue;

CREATE ROUTE BackToCart WITH
    SERVICE_NAME = N'//example/orders/Cart',
    ADDRESS = N'TCP://shop.example:4022';

-- Forwarding: depot cannot reach office itself; shop sends it on.
CREATE ROUTE InvoicesOverShop WITH
    SERVICE_NAME = N'//example/ledger/Invoice',
    ADDRESS = N'TCP://shop.example:4022';

-- FAULT: the name of the route stands where the name of the service should be, //example/ledger/Correct.
CREATE ROUTE CorrectRoute WITH
    SERVICE_NAME = N'CorrectRoute',
    ADDRESS = N'TCP://office.example:4022';
GO

CREATE DATABASE Printing;
GO
ALTER DATABASE Printing SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE;
GO
USE Printing;
GO
-- FAULT: labels are printed here for shop, and there is no route back to //example/orders/Cart.
-- Each message is printed; its acknowledgement never arrives; shop sends it again and again.
CREATE QUEUE dbo.LabelQueue;
CREATE SERVICE [//example/print/Labels] ON QUEUE dbo.LabelQueue ([DEFAULT]);
GO
