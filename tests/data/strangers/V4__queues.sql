CREATE QUEUE dbo.PaymentReplies WITH STATUS = ON;
GO
CREATE SERVICE [//shop/PaymentReplies] ON QUEUE dbo.PaymentReplies;
GO
CREATE ROUTE ToPayment WITH SERVICE_NAME = '//shop/Payment', ADDRESS = 'TCP://pay01:4022';
GO
