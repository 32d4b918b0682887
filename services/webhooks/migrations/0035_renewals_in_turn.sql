DROP INDEX "webhooks"."endpoints_renewed";--> statement-breakpoint
CREATE INDEX "endpoints_renewed" ON "webhooks"."endpoints" USING btree ("tenant_id","renewal_due_at") WHERE renewal_due_at is not null;
