CREATE INDEX "messages_queued" ON "agents"."messages" USING btree ("conversation_id","seq") WHERE status = 'queued';
