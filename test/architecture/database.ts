import { roleOf, type ServiceWithSchema, servicesWithSchema } from '@botyard/shared/db/migrate';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import type { AsyncCheck } from './check.ts';

const tenantScope =
  'ALL ((tenant_id = ANY (( SELECT app.tenant_ids() AS tenant_ids)::uuid[])) OR ( SELECT app.is_platform() AS is_platform))';
const platformScope = 'ALL ( SELECT app.is_platform() AS is_platform)';
/** Tables with identifiers, counts and redacted texts only, and nothing of a tenant by which it could be found. */
const withoutPolicy = ['inbox', 'consumer_failures', 'streams', 'link_counts', 'platform_toolkits'];
/** One row per session, for any selected tenant. */
const keyedOtherwise = ['tenancy.session_tenants'];

/** Say whether a tenant has an admin, and no more. */
const widening = ['tenancy.has_admin', 'tenancy.keep_an_admin'];
const wideningQuery = `
  select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any ($1) and c.relkind in ('v', 'm', 'f')
  union all select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any ($1) and (p.prosecdef or p.proconfig::text like '%app.%')`;

interface Table {
  schema: ServiceWithSchema;
  name: string;
  hasTenant: boolean;
  isForced: boolean;
  policies: string[] | null;
  keys: string[] | null;
}

const tablesQuery = `
  select n.nspname as schema, c.relname as name, c.relrowsecurity and c.relforcerowsecurity as "isForced",
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as "hasTenant",
    (select array_agg(cmd || ' ' || coalesce(qual, '') || coalesce(' check ' || with_check, ''))
      from pg_policies p where p.schemaname = n.nspname and p.tablename = c.relname) as policies,
    (select array_agg(a.attname::text) from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where i.indrelid = c.oid and i.indisunique and (i.indnatts > 1 or a.attname = 'tenant_id')) as keys
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname = any ($1) order by 1, 2`;

/** Checks of the real migrated database (a clone of the template), which protects tenants even if a query doesn't. */
export function databaseChecks(harness: () => ServiceHarness): readonly AsyncCheck[] {
  const tables = () => harness().asOwner<Table>(tablesQuery, [servicesWithSchema]);
  return [
    {
      rule: "every tenant's table forces row-level security, by the one policy of tenants and no other",
      faults: async () =>
        (await tables())
          .filter(({ hasTenant }) => hasTenant)
          .filter(({ isForced, policies }) => !isForced || policies?.join() !== tenantScope)
          .map(describeTable),
    },
    {
      rule: 'every other table is for transactions across tenants, but for those that hold nothing of a tenant',
      faults: async () =>
        (await tables())
          .filter(({ hasTenant, name }) => !hasTenant && !withoutPolicy.includes(name))
          .filter(({ isForced, policies, name }) => {
            const wanted = name === 'outbox' ? ['INSERT  check true', platformScope] : [platformScope];
            return !isForced || policies?.toSorted().join() !== wanted.toSorted().join();
          })
          .map(describeTable),
    },
    {
      rule: "a tenant's table has a key that begins with the tenant",
      faults: async () =>
        (await tables())
          .filter(({ hasTenant, schema, name }) => hasTenant && !keyedOtherwise.includes(`${schema}.${name}`))
          .filter(
            ({ keys, name }) =>
              name !== 'tenants' && name !== 'deleted_tenants' && !keys?.includes('tenant_id'),
          )
          .map(describeTable),
    },
    {
      rule: "no view and no function acts with its owner's rights, and only those known to widen what a statement sees do so",
      faults: async () => {
        const wideningThings = await harness().asOwner<{ name: string }>(wideningQuery, [
          [...servicesWithSchema, 'app', 'public'],
        ]);
        return wideningThings.map(({ name }) => name).filter((name) => !widening.includes(name));
      },
    },
    {
      rule: 'a service logs in with a role that owns nothing, may nothing special and belongs to no other role',
      faults: () => faultsOfRoles(harness()),
    },
    {
      rule: 'a service can define, truncate and grant nothing, and switch no policy off',
      faults: () => faultsOfStatements(harness(), (service) => definingStatements(service)),
    },
    {
      rule: "a service can read no other service's schema, nor the table of migrations",
      faults: () =>
        faultsOfStatements(harness(), (service) => [
          ...servicesWithSchema
            .filter((other) => other !== service)
            .map((other) => `select from ${other}.outbox`),
          `select from migrations.${service}`,
        ]),
    },
  ];
}

const describeTable = ({ schema, name, isForced, policies, keys }: Table): string =>
  `${schema}.${name}: ${isForced ? 'forced' : 'not forced'}, ${policies?.join(' and ') ?? 'no policy'}, keys by ${keys?.join()}`;

const definingStatements = (service: ServiceWithSchema): string[] => [
  `create table ${service}.mine (id int)`,
  'create table public.mine (id int)',
  'create schema mine',
  `create index on ${service}.outbox (subject)`,
  `truncate ${service}.outbox`,
  `alter table ${service}.outbox disable row level security`,
  `alter table ${service}.outbox no force row level security`,
  `drop table ${service}.outbox`,
  `drop policy platform_scope on ${service}.outbox`,
  `create policy mine on ${service}.outbox using (true)`,
  `alter role ${roleOf(service)} bypassrls`,
  'create role mine',
  'create or replace function app.is_platform() returns boolean language sql return true',
];

async function faultsOfRoles(harness: ServiceHarness): Promise<string[]> {
  const rows = await harness.asOwner<{ fault: string }>(
    `select rolname || ' is special' as fault from pg_roles where rolname = any ($1)
       and (rolsuper or rolbypassrls or rolcreatedb or rolcreaterole or rolreplication or not rolcanlogin)
     union all select member::regrole || ' belongs to ' || roleid::regrole from pg_auth_members where member::regrole::text = any ($1)
     union all select relowner::regrole || ' owns ' || relname from pg_class where relowner::regrole::text = any ($1)
     union all select nspowner::regrole || ' owns ' || nspname from pg_namespace where nspowner::regrole::text = any ($1)
     union all select proowner::regrole || ' owns ' || proname from pg_proc where proowner::regrole::text = any ($1)
     union all select 'there is no role ' || name from unnest($1::text[]) name where not exists (select from pg_roles where rolname = name)`,
    [servicesWithSchema.map(roleOf)],
  );
  return rows.map(({ fault }) => fault);
}

/** A statement that isn't refused for want of a right is a fault. */
async function faultsOfStatements(
  harness: ServiceHarness,
  statementsOf: (service: ServiceWithSchema) => string[],
): Promise<string[]> {
  const tried = servicesWithSchema.map(async (service) => {
    const { pool } = harness.databaseAs(service);
    const faults: string[] = [];
    for (const statement of statementsOf(service)) {
      const outcome = await pool.query(statement).then(
        () => 'is allowed',
        (error: { code?: string; message: string }) => (error.code === '42501' ? undefined : error.message),
      );
      if (outcome) faults.push(`${roleOf(service)}: ${statement}: ${outcome}`);
    }
    return faults;
  });
  return (await Promise.all(tried)).flat();
}
