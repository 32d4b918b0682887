CREATE INDEX "parts_in_threads" ON "webhooks"."parts" USING btree ("tenant_id","bot_id","platform_chat_id","platform_message_id") WHERE thread_id is not null and platform_message_id is not null;
