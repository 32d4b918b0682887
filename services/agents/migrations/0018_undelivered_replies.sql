ALTER TABLE "agents"."bots" ADD COLUMN "answer_within_minutes" integer DEFAULT 60 NOT NULL;--> statement-breakpoint
CREATE INDEX "messages_undelivered" ON "agents"."messages" USING btree ("tenant_id","message_id") WHERE status in ('failed', 'uncertain');
