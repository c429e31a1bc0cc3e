:setvar DatabaseName "A"
:setvar __IsSqlCmdEnabled "True"
GO
IF N'$(__IsSqlCmdEnabled)' NOT LIKE N'True'
    BEGIN
        PRINT N'SQLCMD mode must be enabled to successfully execute this script.';
        SET NOEXEC ON;
    END
GO
USE [master];
GO
IF (DB_ID(N'$(DatabaseName)') IS NOT NULL)
BEGIN
    ALTER DATABASE [$(DatabaseName)] SET SINGLE_USER WITH ROLLBACK IMMEDIATE;
    DROP DATABASE [$(DatabaseName)];
END
GO
CREATE DATABASE [$(DatabaseName)]
    ON PRIMARY(NAME = [$(DatabaseName)], FILENAME = N'$(DefaultDataPath)x.mdf')
GO
USE [$(DatabaseName)];
GO
PRINT N'Creating [q]...';
GO
CREATE QUEUE [dbo].[q];
