DROP INDEX "tenancy"."erasures_ready";--> statement-breakpoint
CREATE INDEX "erasures_ready" ON "tenancy"."erasures" USING btree ("tenant_id","ready_at") WHERE state <> 'done';
