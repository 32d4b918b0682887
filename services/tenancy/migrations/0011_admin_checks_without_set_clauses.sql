-- A SET clause for a setting of our own is a superuser's right, and a managed Postgres gives none: a dump of such a function
-- could not be restored there. So the functions set and reset the scope themselves.
CREATE OR REPLACE FUNCTION "tenancy"."has_admin" (wanted uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
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
