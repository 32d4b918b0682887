CREATE TABLE "agents"."deleted_tenants" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"deleted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"purged_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agents"."deleted_tenants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "deleted_tenants_due" ON "agents"."deleted_tenants" USING btree ("deleted_at") WHERE purged_at is null;--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "agents"."deleted_tenants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
ALTER TABLE "agents"."deleted_tenants" FORCE ROW LEVEL SECURITY;
