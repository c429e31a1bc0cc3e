USE [master]
GO
/****** Object:  Database [Warehouse]    Script Date: 14.03.2024 09:30:01 ******/
CREATE DATABASE [Warehouse]
 CONTAINMENT = NONE
 ON  PRIMARY 
( NAME = N'Warehouse', FILENAME = N'D:\MSSQL\DATA\Warehouse.mdf' , SIZE = 8192KB , MAXSIZE = UNLIMITED, FILEGROWTH = 65536KB )
 LOG ON 
( NAME = N'Warehouse_log', FILENAME = N'D:\MSSQL\DATA\Warehouse_log.ldf' , SIZE = 8192KB , MAXSIZE = 2048GB , FILEGROWTH = 65536KB )
 WITH CATALOG_COLLATION = DATABASE_DEFAULT, LEDGER = OFF
GO
ALTER DATABASE [Warehouse] SET COMPATIBILITY_LEVEL = 160
GO
IF (1 = FULLTEXTSERVICEPROPERTY('IsFullTextInstalled'))
begin
EXEC [Warehouse].[dbo].[sp_fulltext_database] @action = 'enable'
end
GO
ALTER DATABASE [Warehouse] SET ANSI_NULL_DEFAULT OFF 
GO
ALTER DATABASE [Warehouse] SET  DISABLE_BROKER 
GO
ALTER DATABASE [Warehouse] SET  MULTI_USER 
GO
USE [Warehouse]
GO
CREATE MESSAGE TYPE [//corp/Order] AUTHORIZATION [dbo] VALIDATION = WELL_FORMED_XML
GO
CREATE CONTRACT [//corp/OrderContract] AUTHORIZATION [dbo] ([//corp/Order] SENT BY INITIATOR)
GO
CREATE QUEUE [dbo].[WarehouseQueue] WITH STATUS = ON , RETENTION = OFF , POISON_MESSAGE_HANDLING (STATUS = ON)  ON [PRIMARY] 
GO
CREATE SERVICE [//corp/Warehouse]  AUTHORIZATION [dbo]  ON QUEUE [dbo].[WarehouseQueue] ([//corp/OrderContract])
GO
CREATE ROUTE [AutoCreatedLocal]   AUTHORIZATION [dbo]   WITH  ADDRESS  = N'LOCAL' 
GO
USE [master]
GO
ALTER DATABASE [Warehouse] SET  READ_WRITE 
GO
