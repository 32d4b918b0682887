DROP INDEX "agents"."conversations_by_bot";--> statement-breakpoint
CREATE INDEX "conversations_of_bot" ON "agents"."conversations" USING btree ("bot_id","tenant_id");
