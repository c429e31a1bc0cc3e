-- Créer la route vers le dépôt
USE Ventes
GO
CREATE ROUTE VersDépôt WITH SERVICE_NAME = ‘//dépôt/Entrée’, ADDRESS = ‘TCP://depot:4022’
GO
