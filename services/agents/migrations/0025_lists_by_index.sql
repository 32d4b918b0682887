CREATE INDEX "conversations_by_creation" ON "agents"."conversations" USING btree ("tenant_id","created_at","chat_id") WHERE created_at > '-infinity';--> statement-breakpoint
CREATE INDEX "conversations_by_last_message" ON "agents"."conversations" USING btree ("tenant_id","last_message_at","chat_id") WHERE last_message_at > '-infinity';--> statement-breakpoint
CREATE INDEX "people_by_first_seen" ON "agents"."people" USING btree ("tenant_id","first_seen_at","person_id") WHERE first_seen_at > '-infinity';
