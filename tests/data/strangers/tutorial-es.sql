-- Paso 1: habilitar el agente en la base de datos de origen (¡cuidado con las conexiones!)
IF DB_ID('Origen') IS NULL CREATE DATABASE Origen
GO
ALTER DATABASE Origen SET ENABLE_BROKER
GO
USE Origen
GO
CREATE MESSAGE TYPE [//Mensajería/Petición] VALIDATION = WELL_FORMED_XML
CREATE MESSAGE TYPE [//Mensajería/Respuesta] VALIDATION = WELL_FORMED_XML
CREATE CONTRACT [//Mensajería/Contrato] ([//Mensajería/Petición] SENT BY INITIATOR, [//Mensajería/Respuesta] SENT BY TARGET)
GO
CREATE QUEUE ColaOrigen
CREATE SERVICE [//Mensajería/Origen] ON QUEUE ColaOrigen ([//Mensajería/Contrato])
GO
-- Paso 2: la ruta hacia el destino
CREATE ROUTE RutaDestino WITH SERVICE_NAME = '//Mensajería/Destino', ADDRESS = 'TCP://servidor2:4022'
GO
-- Paso 3: enviar
DECLARE @h UNIQUEIDENTIFIER
BEGIN DIALOG CONVERSATION @h FROM SERVICE [//Mensajería/Origen] TO SERVICE '//Mensajería/Destino' ON CONTRACT [//Mensajería/Contrato] WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @h MESSAGE TYPE [//Mensajería/Petición] ('<hola/>');
GO
