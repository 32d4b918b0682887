CREATE TABLE "tenancy"."idp_grants" (
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "idp_grants_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "tenancy"."idp_grants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."idp_memberships" (
	"record_id" text PRIMARY KEY NOT NULL,
	"idp_user_id" text NOT NULL,
	"idp_org_id" text NOT NULL,
	"role" text NOT NULL,
	"was_admin" boolean NOT NULL,
	"idp_updated_at" bigint NOT NULL,
	"idp_happened_at" bigint NOT NULL,
	"idp_seen_at" bigint NOT NULL,
	"idp_missing_at" bigint,
	"idp_deleted_at" bigint
);
--> statement-breakpoint
ALTER TABLE "tenancy"."idp_memberships" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."idp_organizations" (
	"idp_org_id" text PRIMARY KEY NOT NULL,
	"name" text,
	"created_by" text,
	"idp_updated_at" bigint,
	"idp_happened_at" bigint,
	"idp_deleted_at" bigint,
	"made_tenant_id" uuid
);
--> statement-breakpoint
ALTER TABLE "tenancy"."idp_organizations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "tenancy"."idp_reconciliations" (
	"name" text PRIMARY KEY NOT NULL,
	"finished_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenancy"."idp_reconciliations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ADD COLUMN "source" text DEFAULT 'api' NOT NULL;--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ADD COLUMN "kept_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tenancy"."users" ADD COLUMN "idp_updated_at" bigint;--> statement-breakpoint
ALTER TABLE "tenancy"."users" ADD COLUMN "idp_happened_at" bigint;--> statement-breakpoint
ALTER TABLE "tenancy"."idp_grants" ADD CONSTRAINT "idp_grants_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "tenancy"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenancy"."idp_grants" ADD CONSTRAINT "idp_grants_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "tenancy"."users"("user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idp_memberships_by_user" ON "tenancy"."idp_memberships" USING btree ("idp_user_id");--> statement-breakpoint
CREATE INDEX "idp_memberships_by_organization" ON "tenancy"."idp_memberships" USING btree ("idp_org_id");--> statement-breakpoint
CREATE INDEX "idp_organizations_by_tenant" ON "tenancy"."idp_organizations" USING btree ("made_tenant_id");--> statement-breakpoint
CREATE INDEX "idp_organizations_by_creator" ON "tenancy"."idp_organizations" USING btree ("created_by");--> statement-breakpoint
CREATE POLICY "tenant_scope" ON "tenancy"."idp_grants" AS PERMISSIVE FOR ALL TO public USING (tenant_id = any ((select app.tenant_ids())::uuid[]) or (select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."idp_memberships" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."idp_organizations" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
CREATE POLICY "platform_scope" ON "tenancy"."idp_reconciliations" AS PERMISSIVE FOR ALL TO public USING ((select app.is_platform()));--> statement-breakpoint
ALTER TABLE "tenancy"."idp_grants" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."idp_memberships" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."idp_organizations" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tenancy"."idp_reconciliations" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
-- As before, but for a kept row: of a tenant whose last admin was deleted, their row is what it keeps, and nobody else's.
CREATE OR REPLACE FUNCTION "tenancy"."keep_an_admin" () RETURNS trigger LANGUAGE plpgsql AS $$
declare
  scope text := current_setting('app.platform', true);
begin
  perform set_config('app.platform', 'keep an admin', true);
  perform from tenancy.tenants where tenant_id = old.tenant_id for no key update;
  if found and not tenancy.has_admin(old.tenant_id) and not exists (
    select from tenancy.memberships where tenant_id = old.tenant_id and role = 'admin' and kept_since is not null
  ) then
    raise exception 'a tenant needs an admin' using errcode = '23514', constraint = 'memberships_keep_an_admin';
  end if;
  perform set_config('app.platform', coalesce(scope, ''), true);
  return null;
end
$$;
