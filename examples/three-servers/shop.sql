-- The server "shop": where orders are taken. It is also the hub that forwards what depot and office cannot
-- send to each other, and it answers the requests of dynamic routing.

USE master;
GO
CREATE ENDPOINT BrokerEndpoint
    STATE = STARTED
    AS TCP (LISTENER_PORT = 4022)
    FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS, ENCRYPTION = SUPPORTED,
                        MESSAGE_FORWARDING = ENABLED, MESSAGE_FORWARD_SIZE = 64);
GO
CREATE DATABASE Orders;
GO
ALTER DATABASE Orders SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE;
GO
USE Orders;
GO
CREATE QUEUE dbo.CartQueue WITH STATUS = ON;
CREATE SERVICE [//example/orders/Cart] ON QUEUE dbo.CartQueue;
GO

-- Mirroring: Stock is on depot, its mirror on office. Whoever is the principal gets the messages.
CREATE ROUTE ReserveRoute WITH
    SERVICE_NAME = N'//example/stock/Reserve',
    BROKER_INSTANCE = N'3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d01',
    ADDRESS = N'TCP://depot.example:4022',
    MIRROR_ADDRESS = N'TCP://office.example:4022';

-- Load balancing: labels are printed on depot and on office; a new conversation goes to either.
-- FAULT: the second identifier is that of Ledger; whoever wrote this looked it up in the wrong database.
CREATE ROUTE LabelsAtDepot WITH
    SERVICE_NAME = N'//example/print/Labels',
    BROKER_INSTANCE = N'3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d02',
    ADDRESS = N'TCP://depot.example:4022';
CREATE ROUTE LabelsAtOffice WITH
    SERVICE_NAME = N'//example/print/Labels',
    BROKER_INSTANCE = N'3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d03',
    ADDRESS = N'TCP://office.example:4022';

-- FAULT: 1433 is the port for queries; Service Broker listens on 4022 there.
CREATE ROUTE PostRoute WITH
    SERVICE_NAME = N'//example/ledger/Post',
    ADDRESS = N'TCP://office.example:1433';

-- FAULT: the service is called //example/ledger/Archive. Names compare byte by byte.
CREATE ROUTE ArchiveRoute WITH
    SERVICE_NAME = N'//example/Ledger/Archive',
    ADDRESS = N'TCP://office.example:4022';
GO

-- The dynamic routing service: it is asked for routes that others lack.
CREATE DATABASE Directory;
GO
ALTER DATABASE Directory SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE;
GO
USE Directory;
GO
CREATE QUEUE dbo.MissingRoutes;
CREATE SERVICE [SQL/ServiceBroker/BrokerConfiguration] ON QUEUE dbo.MissingRoutes
    ([http://schemas.microsoft.com/SQL/ServiceBroker/BrokerConfigurationNotice]);
CREATE ROUTE BackToLedger WITH
    SERVICE_NAME = N'//example/ledger/Post',
    ADDRESS = N'TCP://office.example:4022';
GO

-- Forwarding: invoices come from depot and go on to office.
USE msdb;
GO
CREATE ROUTE ForwardInvoices WITH
    SERVICE_NAME = N'//example/ledger/Invoice',
    ADDRESS = N'TCP://office.example:4022';
GO
