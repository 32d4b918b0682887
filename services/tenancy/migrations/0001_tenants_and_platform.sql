ALTER TABLE "tenancy"."tenants" ADD COLUMN "is_platform" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tenancy"."memberships" ADD CONSTRAINT "memberships_none_of_platform" CHECK (tenant_id <> '00000000-0000-7000-8000-000000000000');--> statement-breakpoint
ALTER TABLE "tenancy"."tenants" ADD CONSTRAINT "tenants_one_platform" CHECK (is_platform = (tenant_id = '00000000-0000-7000-8000-000000000000'));--> statement-breakpoint
ALTER TABLE "tenancy"."tenants" ADD CONSTRAINT "tenants_platform_unmapped" CHECK (not is_platform or idp_org_id is null);
--> statement-breakpoint
select set_config('app.platform', 'migration', true);--> statement-breakpoint
INSERT INTO "tenancy"."tenants" (tenant_id, name, is_platform) VALUES ('00000000-0000-7000-8000-000000000000', 'Platform', true);--> statement-breakpoint
-- Whether a tenant has an admin who is not deleted. People are visible across tenants only, hence the setting.
CREATE FUNCTION "tenancy"."has_admin" (wanted uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
declare
  scope text := current_setting('app.platform', true);
  answer boolean;
begin
  perform set_config('app.platform', 'has admin', true);
  select exists (select from tenancy.memberships m join tenancy.users u using (user_id)
    where m.tenant_id = wanted and m.role = 'admin' and u.deleted_at is null) into answer;
  perform set_config('app.platform', coalesce(scope, ''), true);
  return answer;
end
$$;--> statement-breakpoint
-- The wall behind the code: no transaction commits that takes a tenant's last admin away, whatever path it came by. The
-- tenant's row is locked before the count, so that of two at once the second one sees what the first one did.
CREATE FUNCTION "tenancy"."keep_an_admin" () RETURNS trigger LANGUAGE plpgsql AS $$
declare
  scope text := current_setting('app.platform', true);
begin
  perform set_config('app.platform', 'keep an admin', true);
  perform from tenancy.tenants where tenant_id = old.tenant_id for no key update;
  if found and not tenancy.has_admin(old.tenant_id) then
    raise exception 'a tenant needs an admin' using errcode = '23514', constraint = 'memberships_keep_an_admin';
  end if;
  perform set_config('app.platform', coalesce(scope, ''), true);
  return null;
end
$$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "memberships_admin_removed" AFTER DELETE ON "tenancy"."memberships" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (old.role = 'admin') EXECUTE FUNCTION "tenancy"."keep_an_admin" ();--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "memberships_admin_demoted" AFTER UPDATE ON "tenancy"."memberships" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (old.role = 'admin' and (new.role <> 'admin' or new.tenant_id <> old.tenant_id)) EXECUTE FUNCTION "tenancy"."keep_an_admin" ();
