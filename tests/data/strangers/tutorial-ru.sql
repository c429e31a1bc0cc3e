-- Создаём маршрут до склада
/* Внимание: порт по умолчанию 4022 */
USE Shop
GO
CREATE ROUTE ToSklad WITH SERVICE_NAME = N'//shop/Sklad', ADDRESS = N'TCP://sklad:4022'
GO
