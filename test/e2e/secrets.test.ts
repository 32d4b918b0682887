import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routers } from '@botyard/contracts/http/catalogue';
import { eventually } from '@botyard/testing/eventually';
import { type FakeTools, startFakeTools } from '@botyard/testing/fake/fake-tools';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { type FakeMailer, startFakeMailer } from '@botyard/testing/fake-mailer';
import { readUnlessStreaming } from '@botyard/testing/read-unless-streaming';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesWith, formsOf, processesWith } from '../../services/keys/test/plain-text-search.ts';
import { sign } from '../../services/webhooks/test/idp-deliveries.ts';
import { createDemoTenant, type DemoTenant, webhookSecretToken } from './demo-tenant.ts';
import { FakeCollector } from './fake-collector.ts';
import { System } from './system.ts';

/** A form that the log's redaction doesn't recognize, so that only the design keeps it out. */
const canary = (name: string) => `${name}/${randomBytes(24).toString('hex')}`;
const planted = {
  ofProvider: canary('provider'),
  ofProviderBefore: canary('provider'),
  platformKey: canary('openai'),
  mailAccount: canary('account'),
  mailSigning: canary('signing'),
  mailer: canary('mailer'),
  idp: canary('idp'),
  idpWebhook: `whsec_${randomBytes(32).toString('base64')}`,
  tools: canary('tools'),
  loginBot: `7999999999:AA${randomBytes(20).toString('hex')}`,
  bearer: canary('bearer'),
  cookie: canary('cookie'),
};

let idp: FakeIdp;
let mailer: FakeMailer;
let tools: FakeTools;
let collector: FakeCollector;
let system: System;
let demo: DemoTenant;
const answers: string[] = [];

beforeAll(async () => {
  [idp, mailer, tools, collector] = await Promise.all([
    startFakeIdp({ secretKey: planted.idp }),
    startFakeMailer({ acceptAnyKey: true, apiKey: planted.mailer, retryScale: 0.0001 }),
    startFakeTools({ apiKey: planted.tools }),
    FakeCollector.start(),
  ]);
  system = await System.start({
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OPENAI_API_KEY: planted.platformKey,
    IDP_WEBHOOK_SECRET: planted.idpWebhook,
    IDP_API_URL: idp.url,
    IDP_SECRET_KEY: planted.idp,
    IDP_RECONCILE_EVERY_MS: '1000',
    MAILER_API_URL: mailer.url,
    MAILER_API_KEY: planted.mailer,
    TOOL_INTEGRATIONS_ENABLED: 'true',
    TOOL_INTEGRATIONS_API_URL: tools.url,
    TOOL_INTEGRATIONS_API_KEY: planted.tools,
    MESSENGER_LOGIN_BOT_TOKEN: planted.loginBot,
  });
  demo = await createDemoTenant(system);
});
afterAll(async () => {
  await system?.stop();
  await Promise.all([idp, mailer, tools, collector].map((fake) => fake?.close()));
});

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const content =
    body === undefined
      ? {}
      : {
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        };
  const response = await fetch(`${system.gatewayUrl}${path}`, {
    method,
    ...content,
    headers: { ...content.headers, ...headers },
  });
  const text = await readUnlessStreaming(response);
  answers.push(JSON.stringify([...response.headers]), text);
  return { status: response.status, text };
}

let nextUpdate = 1000;
const said = (text: string) => ({
  update_id: ++nextUpdate,
  message: {
    message_id: nextUpdate,
    from: { id: 4711, is_bot: false, first_name: 'Ravi' },
    chat: { id: 4711, type: 'private', first_name: 'Ravi' },
    date: Math.floor(Date.now() / 1000),
    text,
  },
});

const modelSaw = (key: string) =>
  system.model.calls.waitFor(({ headers }) => headers.authorization === `Bearer ${key}`);

/** Keys that are stored, used, refused by their provider in its own words, written wrongly, and gone. */
async function useProviderKeys(): Promise<void> {
  const path = `/api/keys/${demo.tenantId}`;
  const store = async (apiKey: string, more: object = {}) =>
    JSON.parse((await call('POST', path, { provider: 'private-llm', apiKey, ...more })).text) as {
      keyId: string;
    };
  const { keyId } = await store(planted.ofProviderBefore);
  system.model.replyWith('hello');
  expect(await demo.deliver(said('hello?'))).toBe(200);
  await modelSaw(planted.ofProviderBefore);
  await call('PUT', `${path}/${keyId}/invalidate`);
  await store(planted.ofProvider);
  const echo = { error: { message: `bad key ${planted.ofProvider}`, type: planted.ofProvider, code: null } };
  system.model.fail('chat', { status: 401, body: echo });
  expect(await demo.deliver(said('and now?'))).toBe(200);
  await modelSaw(planted.ofProvider);
  await call('POST', `${path}/${keyId}/validate`);
  for (const wrong of [
    { provider: planted.ofProvider },
    { scopeType: planted.ofProvider },
    { [planted.ofProvider]: 1 },
  ])
    await call('POST', path, { provider: 'openai', apiKey: planted.ofProvider, ...wrong });
  await call('POST', path, `{"provider":"openai","apiKey":"${planted.ofProvider}"`);
  await call('GET', `${path}/resolve/${encodeURIComponent(planted.ofProvider)}`);
}

async function useMail(): Promise<void> {
  const { botId } = await system.api<{ botId: string }>('POST', `/api/bots/${demo.tenantId}/bots`, {
    body: { name: 'Mail bot', agentIds: [demo.agentId], joinWindowMs: 0 },
  });
  const address = 'support@bots.acme.example';
  const path = `/api/bots/${demo.tenantId}/${botId}/integrations`;
  const created = await call('POST', path, {
    integrationType: 'email',
    credentials: { address, apiKey: planted.mailAccount },
    settings: { email: { webhookSigningKey: planted.mailSigning, senderPolicy: 'open' } },
  });
  expect(created.status).toBe(201);
  await call('POST', path, { integrationType: 'email', credentials: { address: planted.mailAccount } });
  const url = `${system.gatewayUrl}/webhooks/email/${botId}`;
  mailer.addRoute({ address, url, signingKey: planted.mailSigning });
  system.model.replyWith('by mail');
  mailer.write({
    from: { address: 'anna@example.com', name: 'Anna' },
    to: address,
    subject: 'Hi',
    text: 'Where?',
  });
  await mailer.sent.waitFor(({ to }) => to.join().includes('anna@example.com'));
}

/** The credentials that strangers and platforms present, valid and invalid. */
async function presentCredentials(): Promise<void> {
  const event = JSON.stringify({
    type: 'user.created',
    data: { id: 'user_x' },
    object: 'event',
    timestamp: 1,
  });
  await call('POST', '/webhooks/idp', event, sign(event, { secret: planted.idpWebhook }));
  await call(
    'POST',
    '/webhooks/idp',
    event,
    sign(event, { secret: `whsec_${randomBytes(32).toString('base64')}` }),
  );
  await demo.deliver(said('wrong'), { 'x-telegram-bot-api-secret-token': planted.bearer });
  const shown = { authorization: `Bearer ${planted.bearer}`, cookie: `__session=${planted.cookie}` };
  for (const path of ['/api/bots', '/api/email-auth/threads', '/api/messenger-auth/status', '/api/nothing'])
    await call('GET', path, undefined, shown);
  await call('GET', `/api/bots?access_token=${encodeURIComponent(planted.bearer)}`);
  await call('PUT', demo.integrationPath, {
    credentials: { botToken: demo.botToken, botName: planted.bearer.slice(0, 9) },
  });
  await call('PUT', demo.integrationPath, { credentials: demo.botToken });
}

/** Everything that an operator can read, in one tenant and of the platform. */
async function readAll(): Promise<number> {
  const { deliver: _deliver, ...ids } = demo;
  const named: Record<string, string> = {
    ...ids,
    id: demo.agentId,
    provider: 'private-llm',
    service: 'keys',
  };
  const paths = routers.flatMap(({ basePath, routes }) =>
    Object.values(routes)
      .filter(({ method }) => method === 'get')
      .map(({ path }) =>
        `${basePath}${path}`.replace(/:(\w+)/g, (_all, name: string) => named[name] ?? randomUUID()),
      ),
  );
  let read = 0;
  for (const path of paths) read += (await call('GET', path)).status === 200 ? 1 : 0;
  return read;
}

const textsIn = (directory: string) =>
  readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));

/** The services' own ports, read from their logs. */
async function metricsOf(logs: string): Promise<string> {
  const ports = [...logs.matchAll(/"port":(\d+)[^\n]*"msg":"started"/g)].map(([, port]) => port);
  const texts = ports.map(async (port) => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  return (await Promise.all(texts)).join('\n');
}

async function rowsOfAllTables(): Promise<string[]> {
  const tables = await system.asOwner<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('tenancy', 'keys', 'usage', 'webhooks', 'agents')`,
  );
  const rows: string[] = [];
  for (const { name } of tables)
    rows.push(...(await system.asOwner<{ t: string }>(`select t::text from ${name} t`)).map(({ t }) => t));
  return rows;
}

/** The launcher's own secrets: passwords of the servers, keys that sign and seal. Only one file may hold them. */
const made = () => {
  const texts = Object.entries(
    JSON.parse(readFileSync(join(system.dataDir, 'secrets.json'), 'utf8')) as object,
  ).map(([name, value]) => (name === 'identity' ? [(value as { signingKey: string }).signingKey] : value));
  return texts.flatMap((value) =>
    typeof value === 'string' ? [value] : Object.values(value as object),
  ) as string[];
};

test('S-01: none of the planted secrets is in an answer, log, trace, metric, table, file or command line', async () => {
  await useProviderKeys();
  await useMail();
  await presentCredentials();
  const read = await readAll();
  await system.api('DELETE', demo.integrationPath);
  await eventually('the person is told of', () => idp.calls.count > 0);
  await eventually('the traces are told', () => collector.bodies.some((body) => body.includes('call model')));
  await system.asOwner('checkpoint');

  const logs = textsIn(join(system.dataDir, 'logs')).join('\n');
  const places = {
    answers: answers.join('\n'),
    logs,
    traces: collector.bodies.join('\n'),
    metrics: await metricsOf(logs),
    tables: (await rowsOfAllTables()).join('\n'),
  };
  const secrets = [...Object.values(planted), demo.botToken, webhookSecretToken, ...made()];
  const forms = secrets.flatMap((secret) => formsOf(secret.slice(-26, -4)));
  for (const [place, text] of Object.entries(places))
    expect([place, forms.filter((form) => text.includes(form))]).toEqual([place, []]);
  expect(processesWith(forms, 'cmdline')).toEqual([]);
  const files = filesWith(system.dataDir, forms);
  const allowed = ['secrets.json', 'nats/nats-server.json'].map((name) => join(system.dataDir, name));
  expect(files.found.filter((path) => !allowed.includes(path))).toEqual([]);

  // All of it was there to be found.
  expect(read).toBeGreaterThan(30);
  expect(places.answers).toContain(`…${planted.ofProvider.slice(-4)}`);
  expect(places.logs.split('\n').length).toBeGreaterThan(200);
  expect(places.traces).toContain('call model');
  expect(places.metrics).toContain('webhook_deliveries_total');
  expect(places.tables).toContain(demo.tenantId);
  expect(
    filesWith(join(system.dataDir, 'postgres'), [demo.tenantId, 'Mail bot']).found.length,
  ).toBeGreaterThan(0);
  expect(filesWith(join(system.dataDir, 'nats'), [demo.tenantId]).found.length).toBeGreaterThan(0);
  process.stdout.write(
    `S-01: ${secrets.length} secrets, 0 hits in ${answers.length / 2} answers (${read} of them pages of 200), ` +
      `${places.logs.split('\n').length} log lines, ${collector.bodies.length} batches of traces, ` +
      `${places.metrics.split('\n').length} lines of metrics, ${places.tables.split('\n').length} rows, ${files.searched} files\n`,
  );
});
