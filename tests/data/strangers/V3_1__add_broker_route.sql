-- Flyway migration: route to the payment service
CREATE ROUTE [ToPayment] WITH
  SERVICE_NAME = '//shop/Payment',
  ADDRESS      = 'TCP://${payment_host}:4022';
