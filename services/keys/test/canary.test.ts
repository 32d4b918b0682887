import { randomBytes } from 'node:crypto';
import { ask } from '@botyard/shared/bus/requests';
import { resolveKey } from '@botyard/shared/events/keys';
import { createRecipient } from '@botyard/shared/secrets/handover';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeysServices, openKeysServices } from './keys-services.ts';

let services: KeysServices;
/** Of no shape that the log's blotting knows, so that nothing but the design keeps it out. */
const canary = `Kanarie/${randomBytes(16).toString('hex')}`;
const platformCanary = `Plattform/${randomBytes(16).toString('hex')}`;
const seen: string[] = [];

beforeAll(async () => {
  services = await openKeysServices({ ANTHROPIC_API_KEY: platformCanary });
  const { connection } = (await services.harness.busAs('agents')).live();
  connection.subscribe('>', {
    callback: (_error, message) => {
      seen.push(message.subject, message.string());
    },
  });
  await connection.flush();
});

afterAll(() => services?.harness.close());

async function call(method: string, end: string, body?: unknown) {
  const { keys, acme } = services;
  const answer = await keys.call(method, `/api/keys/${acme.tenantId}${end}`, { as: acme.admin, body });
  seen.push(answer.text, JSON.stringify([...answer.headers]));
  return answer;
}

/** Every row of every table, as text. */
async function dump(): Promise<string[]> {
  const { harness } = services;
  const tables = await harness.asOwner<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('keys', 'tenancy', 'usage', 'agents', 'webhooks')`,
  );
  const rows = await Promise.all(tables.map(({ name }) => harness.asOwner(`select t::text from ${name} t`)));
  return rows.flat().map((row) => JSON.stringify(row));
}

test('the key appears in no answer, no log line, no table and no message on the bus', async () => {
  const { harness, acme } = services;
  const created = await call('POST', '', { provider: 'openai', apiKey: canary });
  expect(created.status).toBe(201);
  await call('GET', '');
  await call('GET', '/resolve/openai');
  const asker = await createRecipient();
  const bus = await harness.busAs('agents');
  for (const [provider, plain] of [
    ['openai', canary],
    ['anthropic', platformCanary],
  ] as const) {
    const answer = await ask(bus, resolveKey, {
      tenantId: acme.tenantId,
      provider,
      recipient: asker.recipient,
    });
    expect((await asker.open(answer.sealedKey!)).reveal()).toBe(plain);
  }
  for (const change of [
    { apiKey: `${canary}\n` },
    { provider: canary },
    { keyType: canary },
    { scopeType: canary },
    { scopeType: 'bot', scopeId: canary },
    { [canary]: canary },
  ]) {
    await call('POST', '', { provider: 'openai', apiKey: canary, ...change });
  }
  await call('GET', `/resolve/${encodeURIComponent(canary)}`);
  await call('PUT', `/${created.body.keyId}/invalidate`);
  await brokenBody();
  await failingDatabase();
  await harness.asOwner("update keys.keys set sealed_key = 'x'");
  await call('GET', '/resolve/openai');

  const rows = await dump();
  expect(rows.length).toBeGreaterThan(3);
  expect(harness.logLines.length).toBeGreaterThan(20);
  expect(seen.length).toBeGreaterThan(20);
  const everything = [...rows, ...harness.logLines, ...seen].join('\n');
  expect(everything).toContain(`…${canary.slice(-4)}`);
  for (const plain of [canary, platformCanary]) {
    const start = plain.slice(0, 20);
    for (const form of [
      start,
      encodeURIComponent(start),
      Buffer.from(start).toString('base64url').slice(0, 26),
    ]) {
      expect(everything.includes(form), `${form} was found`).toBe(false);
    }
  }
});

async function brokenBody() {
  const { keys, acme } = services;
  const answer = await keys.call('POST', `/api/keys/${acme.tenantId}`, {
    as: acme.admin,
    rawBody: `{"provider":"openai","apiKey":"${canary}"`,
  });
  seen.push(answer.text);
  expect(answer.status).toBe(400);
}

async function failingDatabase() {
  const { harness } = services;
  await harness.asOwner('alter table keys.keys add constraint refuse check (false) not valid');
  const answer = await call('POST', '', { provider: 'openai', apiKey: canary });
  expect(answer).toMatchObject({ status: 500, body: { error: 'something went wrong on our side' } });
  await harness.asOwner('alter table keys.keys drop constraint refuse');
}
