DROP INDEX "agents"."tool_tickets_due";--> statement-breakpoint
CREATE INDEX "tool_tickets_due" ON "agents"."tool_tickets" USING btree ("tenant_id","next_at") WHERE status in ('pending', 'approved', 'executing');
