:on error exit
:setvar DatabaseName "Orders"
:setvar Host orders.example
:setvar Port 4022
:setvar RouteName "To$(DatabaseName)"
:setvar __IsSqlCmdEnabled "True"
GO
IF N'$(__IsSqlCmdEnabled)' NOT LIKE N'True'
    BEGIN
        PRINT N'SQLCMD mode must be enabled to successfully execute this script.';
        SET NOEXEC ON;
    END
GO
USE [$(DatabaseName)];
GO
PRINT N'Creating [$(RouteName)]...';
GO
CREATE ROUTE [$(RouteName)] AUTHORIZATION [dbo] WITH SERVICE_NAME = N'//$(DatabaseName)/x', ADDRESS = N'tcp://$(Host):$(Port)';
GO
:setvar Port
CREATE ROUTE [Unset] WITH ADDRESS = N'tcp://$(Host):$(Port)';
