DROP INDEX "agents"."conversations_ready";--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "dead_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents"."messages" ADD COLUMN "tries" integer;--> statement-breakpoint
CREATE INDEX "messages_dead" ON "agents"."messages" USING btree ("tenant_id","message_id") WHERE status = 'dead';--> statement-breakpoint
CREATE INDEX "conversations_ready" ON "agents"."conversations" USING btree ("tenant_id","ready_at") WHERE ready_at is not null;
