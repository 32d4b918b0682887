DROP INDEX "agents"."context_sources_ready";--> statement-breakpoint
CREATE INDEX "context_sources_ready" ON "agents"."context_sources" USING btree ("tenant_id","ready_at") WHERE ready_at is not null;
