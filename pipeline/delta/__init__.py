"""Delta tables: Spark writes files, one commit of the log makes them count, and any reader of Delta reads them."""
