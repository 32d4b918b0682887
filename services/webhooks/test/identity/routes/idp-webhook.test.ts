import { identityChanged } from '@botyard/contracts/events/webhooks-identity';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { webhooksConfig } from '../../../src/config.ts';
import { deliver, newSigningSecret, sample, sampleBytes, sign } from '../../idp-deliveries.ts';

const secret = newSigningSecret();
const created = sample('user_created');
let harness: ServiceHarness;
let webhooks: TestService;

const start = (env: Record<string, string>) =>
  harness.start({
    service: 'webhooks',
    schema: webhooksConfig,
    createApp,
    env: { MESSENGER_API_URL: 'http://messenger.invalid', ...env },
  });

const announced = async (eventId: string): Promise<{ data: string; deliveries: number }[]> =>
  await harness.asOwner(
    `select o.data, (select count(*)::int from webhooks.identity_deliveries where event_id = $1) as deliveries
     from webhooks.outbox o where o.subject like $2 and o.data like $3`,
    [eventId, `%.event.${identityChanged.name}.%`, `%${eventId}%`],
  );

/** An event that can be recognized in the outbox: its person is named for the delivery. */
const eventOf = (id: string) => ({ ...created, data: { ...created.data, id } });

beforeAll(async () => {
  harness = await ServiceHarness.open();
  webhooks = await start({ IDP_WEBHOOK_SECRET: secret });
});

afterAll(() => harness?.close());

test('an accepted event is committed with the answer: remembered and announced', async () => {
  const answer = await deliver(webhooks, eventOf('msg_accepted'), { secret, id: 'msg_accepted' });
  expect([answer.status, answer.text]).toEqual([200, '{}']);
  const [row] = await announced('msg_accepted');
  expect(row?.deliveries).toBe(1);
  expect(JSON.parse(row?.data ?? '')).toMatchObject({
    kind: 'user.saved',
    happenedAt: 1_795_200_000_000,
    user: { idpUserId: 'msg_accepted', email: 'anna.keller@example.com' },
  });
});

test('50 simultaneous copies, and later ones with new signatures, are one event and 200 each', async () => {
  const event = eventOf('msg_copies');
  const copies = Array.from({ length: 50 }, () => deliver(webhooks, event, { secret, id: 'msg_copies' }));
  const answers = await Promise.all(copies);
  const later = Math.floor(Date.now() / 1000) - 100;
  answers.push(await deliver(webhooks, event, { secret, id: 'msg_copies', atSeconds: later }));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await announced('msg_copies')).toHaveLength(1);
});

test('the same event under another delivery id is another delivery', async () => {
  const event = eventOf('msg_twice');
  await deliver(webhooks, event, { secret, id: 'msg_twice' });
  await deliver(webhooks, event, { secret, id: 'msg_twice_again' });
  expect(await announced('msg_twice')).toHaveLength(2);
});

test('W-04: a bad, missing or stale signature is 401, and nothing is kept', async () => {
  const body = sampleBytes('user_created').toString();
  const now = Math.floor(Date.now() / 1000);
  const good = sign(body, { secret, id: 'msg_refused' });
  const cases: Record<string, Record<string, string>> = {
    none: {},
    'other secret': sign(body, { secret: newSigningSecret(), id: 'msg_refused' }),
    'other body': sign('{}', { secret, id: 'msg_refused' }),
    stale: sign(body, { secret, id: 'msg_refused', atSeconds: now - 310 }),
    'from the future': sign(body, { secret, id: 'msg_refused', atSeconds: now + 310 }),
    'without time': { 'svix-id': 'msg_refused', 'svix-signature': good['svix-signature'] ?? '' },
  };
  for (const [name, headers] of Object.entries(cases)) {
    const answer = await deliver(webhooks, body, { secret, headers });
    expect([name, answer.status]).toEqual([name, 401]);
  }
  expect(
    await harness.asOwner(`select from webhooks.identity_deliveries where event_id = 'msg_refused'`),
  ).toEqual([]);
  const neutral = Object.fromEntries(
    Object.entries(good).map(([name, value]) => [name.replace('svix', 'webhook'), value]),
  );
  expect((await deliver(webhooks, body, { secret, headers: neutral })).status).toBe(200);
});

test('signed, but no JSON or without data, is 400 and can be delivered again when mended', async () => {
  for (const body of ['', 'no json', '{"type":"user.created"}', '[]', 'null']) {
    expect([body, (await deliver(webhooks, body, { secret, id: 'msg_mended' })).status]).toEqual([body, 400]);
  }
  expect((await deliver(webhooks, eventOf('msg_mended'), { secret, id: 'msg_mended' })).status).toBe(200);
  expect(await announced('msg_mended')).toHaveLength(1);
});

test('unknown kinds and a deletion without id are 200, counted, and announce nothing', async () => {
  const before = await harness.asOwner('select from webhooks.outbox');
  for (const name of ['unsubscribed_event', 'user_deleted_missing_id']) {
    expect((await deliver(webhooks, sampleBytes(name).toString(), { secret })).status).toBe(200);
  }
  expect(await harness.asOwner('select from webhooks.outbox')).toHaveLength(before.length);
  const metrics = await (await fetch(`${webhooks.url}/metrics`)).text();
  for (const reason of ['unknown kind', 'deletion without id']) {
    expect(metrics).toMatch(
      new RegExp(`webhook_deliveries_total\\{[^}]*verdict="ignored",reason="${reason}"[^}]*\\} 1`),
    );
  }
});

test('more than 1 MiB is 413, and another method or a path beneath is 404', async () => {
  const large = JSON.stringify({ ...created, padding: 'x'.repeat(1024 * 1024) });
  expect((await deliver(webhooks, large, { secret })).status).toBe(413);
  expect((await webhooks.call('GET', '/webhooks/idp', { as: anonymous })).status).toBe(404);
  expect((await webhooks.call('POST', '/webhooks/idp/x', { as: anonymous, body: {} })).status).toBe(404);
});

test('only the gateway can deliver', async () => {
  const body = JSON.stringify(created);
  const headers = { ...sign(body, { secret }), 'content-type': 'application/json' };
  const answer = await fetch(`${webhooks.url}/webhooks/idp`, { method: 'POST', body, headers });
  expect(answer.status).toBe(401);
});

test('W-03: without a secret every delivery is 500, and the reason is logged', async () => {
  const open = await start({});
  for (const headers of [sign(JSON.stringify(created), { secret }), {}]) {
    const answer = await deliver(open, created, { secret, headers });
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ error: expect.any(String) });
  }
  const lines = harness.logLines.map((line) => JSON.parse(line));
  const reasons = lines.filter(
    ({ level, err }) => level === 'error' && JSON.stringify(err).includes('IDP_WEBHOOK_SECRET'),
  );
  expect(reasons).toHaveLength(2);
  expect(harness.logLines.join('\n')).not.toContain(secret);
});

test('G-13: a secret of which everybody knows the key ends the start', async () => {
  await expect(start({ IDP_WEBHOOK_SECRET: 'whsec_' })).rejects.toThrow(/IDP_WEBHOOK_SECRET/);
  await expect(start({ IDP_WEBHOOK_SECRET: '§§§' })).rejects.toThrow(/IDP_WEBHOOK_SECRET/);
});

test('the limit of all webhooks applies here, before any signature is checked', async () => {
  const limited = await start({
    IDP_WEBHOOK_SECRET: secret,
    NODE_ENV: 'development',
    WEBHOOK_RATE_LIMIT_PER_MINUTE: '2',
  });
  const statuses: number[] = [];
  for (const _ of [1, 2, 3]) statuses.push((await deliver(limited, created, { secret, headers: {} })).status);
  expect(statuses).toEqual([401, 401, 429]);
  const refused = await deliver(limited, created, { secret });
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(refused.headers.get('ratelimit')).toContain('limit=2');
});

test('while the database is down a delivery is 503 with Retry-After, and accepted when it is retried', async () => {
  const event = eventOf('msg_outage');
  await allowConnections(false);
  try {
    const refused = await deliver(webhooks, event, { secret, id: 'msg_outage' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  } finally {
    await allowConnections(true);
  }
  await eventually('it is accepted', async () => {
    const { status } = await deliver(webhooks, event, { secret, id: 'msg_outage' });
    return status === 200;
  });
  expect(await announced('msg_outage')).toHaveLength(1);
});

/** If off, no session can connect to this file's database, and existing sessions are ended. */
async function allowConnections(isAllowed: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(`alter database ${harness.databaseName} with allow_connections ${isAllowed}`);
    if (!isAllowed) {
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        harness.databaseName,
      ]);
    }
  } finally {
    await client.end();
  }
}
