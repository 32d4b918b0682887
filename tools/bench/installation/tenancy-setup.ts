import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createIdentitySigner, generateIdentityKeys, identityHeader } from '@botyard/shared/auth/identity';
import { migrateAll, serviceDatabaseUrl, servicesWithSchema } from '@botyard/shared/db/migrate';
import pg from 'pg';
import { freePort } from '../../embedded/free-port.ts';
import { startNatsServer } from '../../embedded/nats-server.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { root, startServiceProcess } from '../../rig/service-process.ts';
import { type Bench, profileEnv } from '../part.ts';

/** The sizes that the figures refer to. */
export const tenancySizes = { people: 20_000, tenants: 20_000, membersOfEach: 10, botsOfEach: 5 };

interface Membership {
  idpUserId: string;
  tenantId: string;
}

export interface TenancySetup {
  port: number;
  pid: number;
  /** The service of the other checkout, on the same database. */
  beside: { port: number; pid: number } | undefined;
  postgresPid: number;
  /** The URL of a superuser, who bypasses row-level security. */
  ownerUrl: string;
  /** One membership for each of several people. */
  memberships: Membership[];
  /** The identity headers of a caller's request from the gateway. They are valid for a minute. */
  identityHeaders(idpUserId: string): Promise<Record<string, string>>;
}

/** Starts the tenancy service alone, with Postgres, nats-server and many tenants. */
export async function startTenancySetup(bench: Bench, people: number): Promise<TenancySetup> {
  const { dir, cleanup, say } = bench;
  const password = secret();
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: join(dir, 'postgres'), password, log: () => {} }),
    startNatsServer({ storeDir: join(dir, 'nats'), users: [], log: () => {} }),
  ]);
  await cleanup.add(() => postgres.stop());
  await cleanup.add(() => nats.stop());
  const passwords = Object.fromEntries(
    servicesWithSchema.map((service) => [service, secret()]),
  ) as Parameters<typeof migrateAll>[0]['passwords'];
  await migrateAll({ ownerUrl: postgres.url, servicesDir: join(root, 'services'), passwords });
  const { signingKey, verifyKey } = await generateIdentityKeys();
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'development',
    DATABASE_URL: serviceDatabaseUrl(postgres.url, 'tenancy', passwords.tenancy),
    NATS_URL: nats.url,
    IDENTITY_VERIFY_KEY: verifyKey,
    SECRETS_KEYS: `bench:${secret()}`,
    ...profileEnv(bench),
  };
  // At its first start the service reviews every tenant, so it starts before there are any.
  const start = async (checkout?: string) => {
    const port = await freePort();
    return { port, pid: await startServiceProcess('tenancy', { env, port, cleanup, checkout }) };
  };
  const own = await start();
  const beside = bench.beside ? await start(bench.beside) : undefined;
  say(`writing ${tenancySizes.tenants * tenancySizes.membersOfEach} memberships`);
  const memberships = await fill(postgres.url, people);
  const sign = await createIdentitySigner(signingKey);
  return {
    ...own,
    beside,
    postgresPid: postgres.pid,
    ownerUrl: postgres.url,
    memberships,
    identityHeaders: async (idpUserId) => {
      const identity = {
        kind: 'user',
        idpUserId,
        sessionId: `sess_${idpUserId}`,
        isOperator: false,
      } as const;
      return { [identityHeader]: await sign(identity, 'tenancy') };
    },
  };
}

const secret = () => randomBytes(32).toString('base64url');

async function fill(url: string, people: number): Promise<Membership[]> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    for (const text of [users, tenants, 'vacuum analyze']) await owner.query(text);
    const { rows } = await owner.query<Membership>(
      `select distinct on (u.idp_user_id) u.idp_user_id as "idpUserId", m.tenant_id as "tenantId"
       from tenancy.users u join tenancy.memberships m using (user_id) order by u.idp_user_id limit ${people}`,
    );
    return rows;
  } finally {
    await owner.end();
  }
}

const users = `insert into tenancy.users (user_id, idp_user_id)
  select tenancy.new_id(), 'user_' || n from generate_series(1, ${tenancySizes.people}) n`;

/** Each person is in as many tenants as each tenant has people. */
const tenants = `begin;
  create temporary table t on commit drop as
    select n, tenancy.new_id() as tenant_id from generate_series(0, ${tenancySizes.tenants - 1}) n;
  create temporary table u on commit drop as
    select row_number() over (order by user_id) - 1 as n, user_id from tenancy.users;
  insert into tenancy.tenants (tenant_id, name) select tenant_id, 'T' || n from t;
  insert into tenancy.memberships (tenant_id, user_id, role)
    select t.tenant_id, u.user_id, case k when 0 then 'admin' else 'member' end
    from t cross join generate_series(0, ${tenancySizes.membersOfEach - 1}) k
    join u on u.n = (t.n + k * 37) % ${tenancySizes.people};
  insert into tenancy.bots (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms)
    select t.tenant_id, tenancy.new_id(), 'Bot ' || k, '{}', true, 1200
    from t cross join generate_series(1, ${tenancySizes.botsOfEach}) k;
  commit`;
