-- 受注データベースからの経路
USE 受注
GO
CREATE QUEUE 受信キュー
GO
CREATE SERVICE [//例/受注] ON QUEUE 受信キュー
GO
CREATE ROUTE 倉庫への経路 WITH SERVICE_NAME = N'//例/倉庫', ADDRESS = N'TCP://souko:4022'
GO
