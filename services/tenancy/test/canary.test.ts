import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBot, openTenancyServices, type TenancyServices } from './tenancy-services.ts';

let services: TenancyServices;
const seen: string[] = [];
const random = () => randomBytes(16).toString('hex');
/** Tokens have the platform's shape; the secret is of no shape that the log's blotting knows. */
const [firstToken, secondToken] = [`10001:AA${random()}`, `10002:BB${random()}`];
const [firstSecret, secondSecret] = [`Kanarie_${random()}`, `Pirol_${random()}`];

beforeAll(async () => {
  services = await openTenancyServices();
  const { connection } = (await services.harness.busAs('webhooks')).live();
  connection.subscribe('>', {
    callback: (_error, message) => {
      seen.push(message.subject, message.string());
    },
  });
  await connection.flush();
});

afterAll(() => services?.close());

/** Every row of every table, as text. */
async function dump(): Promise<string[]> {
  const tables = await services.harness.asOwner<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('tenancy', 'agents', 'webhooks', 'keys', 'usage')`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) => services.harness.asOwner(`select t::text from ${name} t`)),
  );
  return rows.flat().map((row) => JSON.stringify(row));
}

test('S-01: a bot token and a webhook secret appear in no answer, log line, table or message on the bus', async () => {
  const { acme, other, messenger, harness, tenancy } = services;
  for (const token of [firstToken, secondToken]) messenger.addBot({ token });
  const bots = {
    acme: await createBot(services, acme),
    second: await createBot(services, acme),
    other: await createBot(services, other),
  };
  const call = async (method: string, end: string, body?: unknown, people = acme, bot = bots.acme) => {
    const path = `/api/bots/${people.tenantId}/${bot}/integrations${end}`;
    const answer = await tenancy.call(method, path, { as: people.admin, body });
    seen.push(answer.text, JSON.stringify([...answer.headers]));
    return answer;
  };
  const body = (botToken: string, webhookSecretToken: string) => ({
    integrationType: 'messenger',
    credentials: { botToken, botName: 'Support' },
    settings: { messenger: { webhookSecretToken } },
  });
  const created = await call('POST', '', body(firstToken, firstSecret));
  expect(created.status).toBe(201);
  const end = `/${created.body.integrationId}`;
  expect((await call('PUT', end, body(secondToken, secondSecret))).status).toBe(200);
  expect((await call('POST', '', body(secondToken, firstSecret), other, bots.other)).status).toBe(409);
  messenger.fail('getMe', { cut: 'before' });
  expect((await call('PUT', end, body(firstToken, firstSecret))).status).toBe(503);
  messenger.fail('getMe', { status: 200, body: { echo: firstToken } });
  expect((await call('PUT', end, body(firstToken, firstSecret))).status).toBe(503);
  messenger.fail('getMe', { status: 302, headers: { location: `${messenger.url}/bot${firstToken}/getMe` } });
  expect((await call('PUT', end, body(firstToken, firstSecret))).status).toBe(503);
  messenger.fail('getMe', { status: 401, body: { ok: false, description: firstToken } });
  expect((await call('PUT', end, body(firstToken, firstSecret))).status).toBe(422);
  for (const change of [
    { integrationType: firstToken },
    { credentials: firstToken },
    { credentials: { botToken: [firstToken], botName: firstSecret } },
    { settings: { messenger: { webhookSecretToken: `${firstSecret} !` } } },
    { [firstToken]: firstSecret },
  ]) {
    await call('POST', '', { ...body(firstToken, firstSecret), ...change }, acme, bots.second);
  }
  await call('GET', `/${encodeURIComponent(firstToken)}`);
  await tenancy.call('POST', `/api/bots/${acme.tenantId}/${bots.acme}/integrations`, {
    as: acme.admin,
    rawBody: `{"credentials":{"botToken":"${firstToken}","botName":"${firstSecret}"`,
  });
  await harness.asOwner('alter table tenancy.integrations rename to hidden');
  expect((await call('PUT', end, body(firstToken, firstSecret))).status).toBe(500);
  await harness.asOwner('alter table tenancy.hidden rename to integrations');
  await harness.asOwner(`update tenancy.integrations set sealed_secrets = 'x'`);
  expect((await call('PUT', end, { enabled: false })).status).toBe(500);
  await call('GET', end);
  await call('DELETE', end);

  const rows = await dump();
  expect(rows.length).toBeGreaterThan(10);
  expect(harness.logLines.length).toBeGreaterThan(30);
  expect(seen.length).toBeGreaterThan(30);
  const everything = [...rows, ...harness.logLines, ...seen].join('\n');
  expect(everything).toContain(`…${secondToken.slice(-4)}`);
  const hits = [firstToken, secondToken, firstSecret, secondSecret]
    .flatMap((plain) => [plain, plain.slice(8)])
    .flatMap((plain) => [plain, Buffer.from(plain).toString('base64url').slice(0, 20)])
    .filter((form) => everything.includes(form));
  expect(hits).toEqual([]);
});
