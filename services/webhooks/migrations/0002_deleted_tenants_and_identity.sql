CREATE TABLE "webhooks"."deleted_tenants" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"deleted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"purged_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "webhooks"."deleted_tenants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhooks"."identity_deliveries" (
	"event_id" text PRIMARY KEY NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhooks"."identity_deliveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "deleted_tenants_due" ON "webhooks"."deleted_tenants" USING btree ("deleted_at") WHERE purged_at is null;--> statement-breakpoint
CREATE INDEX "identity_deliveries_by_age" ON "webhooks"."identity_deliveries" USING btree ("received_at");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "webhooks"."deleted_tenants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "webhooks"."identity_deliveries" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "webhooks"."deleted_tenants" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhooks"."identity_deliveries" FORCE ROW LEVEL SECURITY;
