import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createDatabase, type Database } from '@botyard/shared/db/database';
import { migrateAll, serviceDatabaseUrl, servicesWithSchema } from '@botyard/shared/db/migrate';
import { createLog } from '@botyard/shared/log/log';
import pg from 'pg';
import { startPostgres } from '../../embedded/postgres.ts';
import type { Bench } from '../part.ts';
import { root } from './root.ts';

/** The sizes that the figures refer to. */
export const sizes = {
  edges: 100_000,
  people: 20_000,
  groups: 2000,
  tenants: 1000,
  bots: 100_000,
  policies: 5,
};

export interface AuthorizationSetup {
  /** Has the rights of the tenancy service, so row-level security applies. */
  database: Database;
  /** The tenant with the edges and the policies. */
  tenantId: string;
  /** People who reach that tenant through groups. */
  idpUserIds: string[];
  /** An admin of every tenant. */
  adminIdpUserId: string;
}

/** Starts Postgres alone, with a tenant that has many edges, and an admin of many tenants with many bots. */
export async function startAuthorizationSetup({ dir, cleanup }: Bench): Promise<AuthorizationSetup> {
  const password = randomBytes(24).toString('base64url');
  const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), password, log: () => {} });
  await cleanup.add(() => postgres.stop());
  const passwords = Object.fromEntries(
    servicesWithSchema.map((service) => [service, randomBytes(24).toString('base64url')]),
  ) as Parameters<typeof migrateAll>[0]['passwords'];
  await migrateAll({ ownerUrl: postgres.url, servicesDir: join(root, 'services'), passwords });
  const found = await fill(postgres.url);
  const database = createDatabase({
    url: serviceDatabaseUrl(postgres.url, 'tenancy', passwords.tenancy),
    applicationName: 'bench-tenancy',
    log: createLog('bench', 'fatal'),
  });
  await cleanup.add(() => database.close());
  return { database, ...found };
}

async function fill(url: string): Promise<Omit<AuthorizationSetup, 'database'>> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    for (const text of [people, tenantsAndBots, edges, policies, 'vacuum analyze']) await owner.query(text);
    const { rows } = await owner.query<{ id: string }>(
      `select u.idp_user_id as id from tenancy.users u join tenancy.edges e
         on e.subject_type = 'user' and e.subject_id = u.user_id::text group by 1 order by 1 limit 2000`,
    );
    const tenant = await owner.query<{ tenant_id: string }>(
      'select tenant_id from tenancy.edges group by tenant_id order by count(*) desc limit 1',
    );
    return {
      tenantId: tenant.rows[0]?.tenant_id ?? '',
      idpUserIds: rows.map(({ id }) => id),
      adminIdpUserId: 'user_1',
    };
  } finally {
    await owner.end();
  }
}

const people = `insert into tenancy.users (user_id, idp_user_id)
  select tenancy.new_id(), 'user_' || n from generate_series(1, ${sizes.people}) n`;

const tenantsAndBots = `begin;
  insert into tenancy.tenants (tenant_id, name) select tenancy.new_id(), 'T' || n from generate_series(1, ${sizes.tenants}) n;
  insert into tenancy.memberships (tenant_id, user_id, role)
    select t.tenant_id, u.user_id, 'admin' from tenancy.tenants t, tenancy.users u
    where u.idp_user_id = 'user_1' and not t.is_platform;
  insert into tenancy.bots (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms)
    select t.tenant_id, tenancy.new_id(), 'Bot ' || n, '{}', true, 1200
    from generate_series(1, ${sizes.bots / sizes.tenants}) n, tenancy.tenants t where not t.is_platform;
  commit`;

/**
 * Each person is in 4 groups. Groups are nested 4 deep (with a cycle). Each group is related to 9 bots, the outermost
 * one to the tenant.
 */
const edges = `with t as (select min(tenant_id::text)::uuid as tenant_id from tenancy.tenants where name = 'T1'),
    b as (select bot_id, row_number() over () as n from tenancy.bots join t using (tenant_id)),
    u as (select user_id, row_number() over (order by idp_user_id) as n from tenancy.users where idp_user_id <> 'user_1')
  insert into tenancy.edges (tenant_id, subject_type, subject_id, subject_relation, relation, object_type, object_id, bot_id)
  select t.tenant_id, e.* from t cross join (
    select 'user', u.user_id::text, '', 'member', 'group', 'g' || ((u.n * 7 + k * 311) % ${sizes.groups}), null::uuid
      from u, generate_series(1, 4) k
    union select 'group', 'g' || n, 'member', 'member', 'group', 'g' || (n / 10), null
      from generate_series(0, ${sizes.groups - 1}) n
    union select 'group', 'g0', 'member', 'member', 'group', 'g9', null
    union select 'group', 'g' || (b.n * 17 + k) % ${sizes.groups}, 'member', 'admin', 'bot', b.bot_id::text, b.bot_id
      from b, generate_series(1, 180) k
    union select 'group', 'g' || n, 'member', 'member', 'tenant', (select tenant_id::text from t), null
      from generate_series(0, 1) n) e
  limit ${sizes.edges}`;

const policies = `insert into tenancy.policies (tenant_id, policy_id, name, text)
  select (select tenant_id from tenancy.edges limit 1), tenancy.new_id(), 'p' || n,
    'forbid(principal is User, action == Action::"manage", resource) when { context.hour == 2' || n ||
    ' && !context.address.isInRange(ip("192.0.2.0/24")) };' from generate_series(4, ${sizes.policies + 3}) n`;
