:setvar db "A"
:setvar host far.example
USE [$(db)]
GO
CREATE ROUTE $(db)Route WITH ADDRESS = 'tcp://$(host):4022'