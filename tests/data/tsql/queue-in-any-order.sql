USE A
GO
create queue q with activation (execute as self, max_queue_readers = 1, procedure_name = p), poison_message_handling(status=on) status = on