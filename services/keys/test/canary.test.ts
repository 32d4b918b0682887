import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { keyFailed } from '@botyard/contracts/events/agents';
import { ask } from '@botyard/shared/bus/requests';
import { createRecipient } from '@botyard/shared/secrets/handover';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { patientResolveKey, startKeys } from './keys-services.ts';
import { filesWith, formsOf, processesWith } from './plain-text-search.ts';
import {
  addressesOf,
  forgetLastValidation,
  openProviderServices,
  type ProviderServices,
  shownKey,
} from './provider-services.ts';

let services: ProviderServices;
/** A form that the log's redaction doesn't recognize, so that only the design keeps it out. */
const canary = `Kanarie/${randomBytes(16).toString('hex')}`;
const platformCanary = `Plattform/${randomBytes(16).toString('hex')}`;
const seen: string[] = [];

beforeAll(async () => {
  services = await openProviderServices({ ANTHROPIC_API_KEY: platformCanary });
  const { connection } = (await services.harness.busAs('agents')).live();
  connection.subscribe('>', {
    callback: (_error, message) => {
      seen.push(message.subject, message.string());
    },
  });
  await connection.flush();
});

afterAll(() => services?.close());

async function call(method: string, end: string, body?: unknown, rawBody?: string) {
  const { keys, acme } = services;
  const answer = await keys.call(method, `/api/keys/${acme.tenantId}${end}`, {
    as: acme.admin,
    ...(rawBody ? { rawBody } : { body }),
  });
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

test('S-01: the key appears in no answer, log line, table, message, file or process, on any path', async () => {
  const { harness } = services;
  const created = await call('POST', '', { provider: 'openai', apiKey: canary });
  expect(created.status).toBe(201);
  const { keyId } = created.body;
  await call('GET', '');
  await call('GET', '/resolve/openai');
  await handOver();
  await faultyWrites();
  await validateBy(keyId);
  await failInChat(keyId);
  await sealAnew();
  await call('GET', `/resolve/${encodeURIComponent(canary)}`);
  await call('PUT', `/${keyId}/invalidate`);
  await harness.asOwner("update keys.keys set sealed_key = 'x'");
  await call('GET', '/resolve/openai');
  await forgetLastValidation(services);
  await call('POST', `/${keyId}/validate`);

  const rows = await dump();
  expect(rows.length).toBeGreaterThan(3);
  expect(harness.logLines.length).toBeGreaterThan(20);
  expect(seen.length).toBeGreaterThan(20);
  const everything = [...rows, ...harness.logLines, ...seen].join('\n');
  expect(everything).toContain(`…${canary.slice(-4)}`);
  const forms = [canary, platformCanary].flatMap(formsOf);
  expect(forms.filter((form) => everything.includes(form))).toEqual([]);
  for (const part of ['cmdline', 'environ'] as const) expect(processesWith(forms, part)).toEqual([]);
  await filesOnDisk(forms);
});

async function handOver() {
  const bus = await services.harness.busAs('agents');
  for (const [provider, plain] of [
    ['openai', canary],
    ['anthropic', platformCanary],
  ] as const) {
    const asker = createRecipient();
    const { tenantId } = services.acme;
    const answer = await ask(bus, patientResolveKey, { tenantId, provider, recipient: asker.recipient });
    expect((await asker.open(answer.sealedKey!)).reveal()).toBe(plain);
  }
}

async function faultyWrites() {
  const { harness } = services;
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
  expect((await call('POST', '', undefined, `{"provider":"openai","apiKey":"${canary}"`)).status).toBe(400);
  await harness.asOwner('alter table keys.keys add constraint refuse check (false) not valid');
  const answer = await call('POST', '', { provider: 'openai', apiKey: canary });
  expect(answer).toMatchObject({ status: 500, body: { error: 'something went wrong on our side' } });
  await harness.asOwner('alter table keys.keys drop constraint refuse');
}

/** Providers that repeat the key in every kind of answer, and a database that fails when the result is kept. */
async function validateBy(keyId: string) {
  const { harness, model } = services;
  const validate = async () => {
    await forgetLastValidation(services);
    return await call('POST', `/${keyId}/validate`);
  };
  const error = { message: `bad key ${canary}`, type: canary, param: null, code: canary };
  for (const status of [200, 302, 400, 401, 402, 403, 404, 429, 500]) {
    model.fail('models', {
      status,
      body: { error, data: canary },
      headers: { location: `/${canary}`, 'x-key': canary },
    });
    expect((await validate()).status).toBe(200);
  }
  model.fail('models', { status: 401, body: canary });
  model.fail('models', { cut: 'before' });
  for (let count = 0; count < 2; count += 1) expect((await validate()).body.status).toBe('unknown');
  await forgetLastValidation(services);
  await harness.asOwner('alter table keys.keys add constraint refuse check (false) not valid');
  expect((await call('POST', `/${keyId}/validate`)).status).toBe(500);
  await harness.asOwner('alter table keys.keys drop constraint refuse');
  expect((await validate()).body.status).toBe('valid');
}

async function failInChat(keyId: string) {
  const { harness, acme } = services;
  const failed = { tenantId: acme.tenantId, keyId, provider: 'openai', failedAfterMs: 1 } as const;
  const resolvedAt = new Date(Date.now() + 1000).toISOString();
  await harness.publish(keyFailed, { ...failed, failure: 'limited', resolvedAt });
  await harness.publish(keyFailed, { ...failed, failure: 'refused', resolvedAt });
  await eventually('both reports have arrived', async () => {
    const key = await shownKey(services, keyId);
    return key.statusReason === 'provider' && key.coolUntil !== null;
  });
}

async function sealAnew() {
  const { harness, model } = services;
  const added = `added:${randomBytes(32).toString('base64url')}`;
  const settings = { ...addressesOf(model), SECRETS_KEYS: `${added},${harness.secretsKeys}` };
  const rotated = await startKeys(harness, settings);
  await eventually('the key is sealed anew', async () => {
    const rows = await harness.asOwner<{ sealed_key: string }>('select sealed_key from keys.keys');
    return rows.every(({ sealed_key }) => sealed_key.startsWith(Keyring.parse(added).sealedPrefix));
  });
  await rotated.stop();
}

/** The servers' files: those of this database, the write-ahead log, and the streams. */
async function filesOnDisk(forms: readonly string[]) {
  const { harness, acme } = services;
  await harness.asOwner('checkpoint');
  const [database] = await harness.asOwner<{ oid: string }>(
    'select oid::text from pg_database where datname = current_database()',
  );
  const postgres = join(inject('serversDir'), 'postgres');
  const data = readdirSync(postgres, { recursive: true, encoding: 'utf8' }).find((path) =>
    /(^|\/)base$/.test(path),
  );
  const base = join(postgres, data ?? '', database!.oid);
  const nats = join(inject('serversDir'), 'nats');
  // Proves that the search works.
  expect(filesWith(base, [acme.tenantId, canary.slice(-4)]).found.length).toBeGreaterThan(0);
  expect(filesWith(nats, [acme.tenantId]).found.length).toBeGreaterThan(0);
  for (const directory of [base, join(base, '..', '..', 'pg_wal'), nats])
    expect(filesWith(directory, forms).found).toEqual([]);
}
