import { randomInt, randomUUID } from 'node:crypto';
import { replyCreated, turnCompleted } from '@botyard/contracts/events/agents';
import type { EventType } from '@botyard/contracts/events/definition';
import {
  accessChanged,
  botDeleted,
  botSaved,
  integrationDeleted,
  integrationSaved,
  tenantDeleted,
} from '@botyard/contracts/events/tenancy';
import { reserveQuota } from '@botyard/contracts/events/usage';
import { messageReceived, registrationChanged, replyDelivered } from '@botyard/contracts/events/webhooks';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform } from '@botyard/shared/db/database';
import { armFailpoints } from '@botyard/shared/service/failpoint';
import { eventually } from '@botyard/testing/eventually';
import type { People } from '@botyard/testing/people';
import { firstSample } from '@botyard/testing/samples';
import type { TestService } from '@botyard/testing/service-harness';
import { type Answer, anonymous } from '@botyard/testing/test-call';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertRow, tenantTables } from '../../../../../test/support/tenant-rows.ts';
import {
  callOk,
  emitted,
  integrationBody,
  newToken,
  openPlatform,
  type Platform,
  startAgents,
  startKeys,
  startUsage,
  startWebhooks,
  userIdOf,
} from '../../whole-platform.ts';

const secret = 'shown-by-the-platform';
let platform: Platform;
let agents: TestService;
let keys: TestService;
let usage: TestService;
let webhooks: TestService;

beforeAll(async () => {
  platform = await openPlatform();
  [agents, keys, webhooks, usage] = await Promise.all([
    startAgents(platform),
    startKeys(platform),
    startWebhooks(platform, 'https://hooks.example.com'),
    startUsage(platform),
  ]);
});
afterAll(() => platform?.close());

interface TenantInUse extends People {
  botId: string;
  integrationId: string;
  botToken: string;
}

/** A tenant with something of everything, made as it comes about in use. */
async function createTenantInUse(people: People): Promise<TenantInUse> {
  const { tenancy, messenger, harness } = platform;
  const { tenantId, admin: as } = people;
  const definition = { name: 'Guide', instructions: 'Help.', provider: 'openai', model: 'any' };
  const { id } = await callOk(agents, 'POST', '/api/definitions/agents', { as, body: definition });
  const bots = `/api/bots/${tenantId}`;
  const { botId } = await callOk(tenancy, 'POST', `${bots}/bots`, {
    as,
    body: { name: 'Bot', agentIds: [id] },
  });
  const botToken = newToken(messenger);
  const { integrationId } = await callOk(tenancy, 'POST', `${bots}/${botId}/integrations`, {
    as,
    body: { ...integrationBody(botToken), settings: { messenger: { webhookSecretToken: secret } } },
  });
  await callOk(keys, 'POST', `/api/keys/${tenantId}`, {
    as,
    body: { provider: 'anthropic', apiKey: 'sk-ant-1' },
  });
  await eventually('the webhook is registered', () => messenger.bot(botToken).webhook !== undefined);
  expect(await deliver(botId)).toBe(200);
  await messenger.sent.waitFor(({ bot }) => bot.token === botToken);
  const limits = { messages: 1 };
  await callOk(usage, 'POST', `/api/usage/${tenantId}/quota/initialize`, { as, body: { limits } });
  await ask(await harness.busAs('agents'), reserveQuota, {
    tenantId,
    botId,
    reservationId: uuidv7(),
    agentId: id,
    provider: 'openai',
    model: 'any',
    estimate: { inputTokens: 1, outputTokens: 1 },
    holdMs: 1000,
  });
  await harness.publish(turnCompleted, {
    ...firstSample(turnCompleted),
    tenantId,
    turnId: uuidv7(),
    completedAt: new Date().toISOString(),
  });
  await harness.settled('usage', 'agents');
  await fillEmptyTables(tenantId);
  return { ...people, botId, integrationId, botToken };
}

/** Fills the tables that only an API call would fill: it matters only that those rows are deleted as well. */
async function fillEmptyTables(tenantId: string): Promise<void> {
  const counts = await countRows(tenantId);
  for (const table of await tenantTables(platform.harness))
    if (counts[table.table] === 0 && table.service !== 'tenancy')
      await insertRow(platform.harness, table, tenantId);
}

async function deliver(botId: string): Promise<number> {
  const id = randomInt(1, 1e9);
  const from = { id, is_bot: false, first_name: 'Anna' };
  const chat = { id, type: 'private', first_name: 'Anna' };
  const quote = { text: 'two days' };
  const message = { message_id: 1, from, chat, date: 1_795_200_000, text: 'Hello', quote };
  const body = { update_id: id, message };
  const headers = { 'x-telegram-bot-api-secret-token': secret };
  return (await webhooks.call('POST', `/webhooks/messenger/${botId}`, { as: anonymous, body, headers }))
    .status;
}

/** How many rows every table with a tenant has of this one, but for the tombstones. */
async function countRows(tenantId: string): Promise<Record<string, number>> {
  const { harness } = platform;
  const tables = await harness.asOwner<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.columns
     where column_name = 'tenant_id' and table_name <> 'deleted_tenants' order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await harness.asOwner<{ count: string }>(
      `select count(*) from ${name} where tenant_id = $1`,
      [tenantId],
    );
    counts[name] = Number(row?.count);
  }
  return counts;
}

const settled = async () => {
  const { harness } = platform;
  for (const service of ['keys', 'usage', 'agents', 'webhooks'] as const)
    await harness.settled(service, 'tenancy');
  for (const [service, owner] of [
    ['agents', 'webhooks'],
    ['webhooks', 'agents'],
    ['usage', 'agents'],
    ['tenancy', 'webhooks'],
  ] as const)
    await harness.settled(service, owner);
};

const isEmpty = async (tenantId: string) =>
  Object.values(await countRows(tenantId)).every((count) => count === 0);

const lateEvents: readonly EventType[] = [
  integrationSaved,
  integrationDeleted,
  botSaved,
  botDeleted,
  tenantDeleted,
  messageReceived,
  replyDelivered,
  registrationChanged,
  replyCreated,
  turnCompleted,
];

/** Everything that may still arrive about the tenant, as if its streams were read again from the start. */
async function sendLateEvents({ tenantId, botId, integrationId }: TenantInUse): Promise<void> {
  const ids = { tenantId, botId, integrationId, conversationId: uuidv7() };
  for (const event of lateEvents) {
    const data = event.schema.parse({ ...(firstSample(event) as object), ...ids });
    await platform.harness.publish(event, data);
  }
}

test('a deleted tenant is removed everywhere, with its webhook, and no late message restores it', async () => {
  const { tenancy, messenger, harness } = platform;
  const [gone, kept] = [await createTenantInUse(platform.acme), await createTenantInUse(platform.other)];
  const before = await countRows(gone.tenantId);
  const unfilled = Object.keys(before).filter((name) => before[name] === 0 && !name.startsWith('tenancy.'));
  expect(unfilled).toEqual([]);
  await settled();
  const keptBefore = await countRows(kept.tenantId);
  messenger.fail('deleteWebhook', {
    status: 500,
    body: { ok: false, error_code: 500, description: 'later' },
  });

  await callOk(tenancy, 'DELETE', `/api/bots/tenants/${gone.tenantId}`, { as: gone.admin });
  expect((await tenancy.call('GET', `/api/bots/tenants/${gone.tenantId}`, { as: gone.admin })).status).toBe(
    403,
  );
  expect(
    (await tenancy.call('GET', `/api/bots/tenants/${gone.tenantId}`, { as: gone.operator })).status,
  ).toBe(404);
  await settled();
  expect(await deliver(gone.botId)).toBe(404);
  await eventually('the webhook is removed', () => messenger.bot(gone.botToken).webhook === undefined);
  await eventually('every row is gone', () => isEmpty(gone.tenantId));

  const registrations = messenger.calls.filter(({ operation }) => operation === 'setWebhook').length;
  await sendLateEvents(gone);
  await settled();
  expect(await countRows(gone.tenantId)).toEqual(
    Object.fromEntries(Object.keys(before).map((name) => [name, 0])),
  );
  expect(await deliver(gone.botId)).toBe(404);
  expect(messenger.calls.filter(({ operation }) => operation === 'setWebhook')).toHaveLength(registrations);

  expect(await countRows(kept.tenantId)).toEqual(keptBefore);
  expect(messenger.bot(kept.botToken).webhook).toBeDefined();
  expect(await deliver(kept.botId)).toBe(200);
  for (const service of ['tenancy', 'keys', 'usage', 'agents', 'webhooks'])
    expect(await harness.asOwner(`select * from ${service}.dead_letters`)).toEqual([]);
});

test('the end of a tenant is enough: its bots and integrations need not be announced one by one', async () => {
  const { tenancy, messenger, harness, acme } = platform;
  const as = acme.stranger;
  const { tenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', { as, body: { name: 'Lone' } });
  const { botId, botToken } = await createTenantInUse({ ...acme, tenantId, admin: as });
  await harness.publish(tenantDeleted, { tenantId });
  await settled();
  // The tenancy service, which is asked about unknown bots, would still return this one.
  expect(await deliver(botId)).toBe(404);
  await eventually('the webhook is removed', () => messenger.bot(botToken).webhook === undefined);
  await eventually('every row is gone', async () => {
    const counts = Object.entries(await countRows(tenantId));
    return counts.every(([name, count]) => name.startsWith('tenancy.') || count === 0);
  });
  expect(await deliver(botId)).toBe(404);
  expect((await countRows(tenantId))['webhooks.endpoints']).toBe(0);
});

test('deletions are announced in order, the tenant last, and the bot token is free again', async () => {
  const { tenancy, messenger, other } = platform;
  const create = async (as = other.admin) =>
    (await callOk(tenancy, 'POST', '/api/bots/tenants', { as, body: { name: 'Short' } })).tenantId as string;
  const connect = async (tenantId: string, botToken: string) => {
    const bot = await callOk(tenancy, 'POST', `/api/bots/${tenantId}/bots`, {
      as: other.admin,
      body: { name: 'B' },
    });
    await callOk(tenancy, 'POST', `/api/bots/${tenantId}/${bot.botId}/integrations`, {
      as: other.admin,
      body: integrationBody(botToken),
    });
  };
  const [tenantId, botToken] = [await create(), newToken(messenger)];
  await connect(tenantId, botToken);
  await callOk(tenancy, 'POST', `/api/bots/tenants/${tenantId}/members`, {
    as: other.admin,
    body: { userId: await userIdOf(platform, other.member), role: 'member' },
  });
  await callOk(tenancy, 'DELETE', `/api/bots/tenants/${tenantId}`, { as: other.admin });
  const rows = await platform.harness.asOwner<{ name: string }>(
    `select split_part(split_part(subject, '.event.', 2), '.', 2) || '.' || split_part(split_part(subject, '.event.', 2), '.', 3) as name
     from tenancy.outbox where subject like '%' || $1 || '%' order by id desc limit 6`,
    [tenantId],
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'tenant.deleted',
    'authorization.changed',
    'access.changed',
    'access.changed',
    'bot.deleted',
    'integration.deleted',
  ]);
  await connect(await create(), botToken);
});

test('a deletion that fails before its commit has deleted and announced nothing', async () => {
  const { tenancy, other } = platform;
  const { tenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', {
    as: other.admin,
    body: { name: 'Half' },
  });
  const path = `/api/bots/tenants/${tenantId}`;
  const before = [await emitted(platform, tenantDeleted), await emitted(platform, accessChanged)];
  armFailpoints({ NODE_ENV: 'test', FAILPOINTS: 'tenancy.tenants.before-delete-commit:error' });
  expect((await tenancy.call('DELETE', path, { as: other.admin })).status).toBe(500);
  expect((await callOk(tenancy, 'GET', path, { as: other.admin })).name).toBe('Half');
  expect([await emitted(platform, tenantDeleted), await emitted(platform, accessChanged)]).toEqual(before);
});

test('a resource that is created while the tenant is deleted is either deleted too or finds no tenant', async () => {
  const { tenancy, acme } = platform;
  const as = acme.stranger;
  const { tenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', { as, body: { name: 'Busy' } });
  const create = () => tenancy.call('POST', `/api/bots/${tenantId}/bots`, { as, body: { name: 'Late' } });
  const add = () =>
    tenancy.call('POST', `/api/bots/tenants/${tenantId}/members`, {
      as,
      body: { idpUserId: randomUUID(), role: 'member' },
    });
  const remove = () => tenancy.call('DELETE', `/api/bots/tenants/${tenantId}`, { as });
  const answers = await Promise.all([
    create(),
    add(),
    create(),
    remove(),
    create(),
    remove(),
    create(),
    add(),
  ]);
  expect(
    answers.filter(({ status }) => ![201, 204, 403, 404].includes(status)).map(({ text }) => text),
  ).toEqual([]);
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  expect((await tenancy.call('GET', `/api/bots/tenants/${tenantId}`, { as })).status).toBe(403);
  await settled();
  await eventually('every row is gone', () => isEmpty(tenantId));
});

describe('while a tenant is deleted, another change of it neither fails nor makes the deletion fail', () => {
  const as = () => platform.acme.stranger;
  const call = (method: string, path: string, body?: unknown) =>
    platform.tenancy.call(method, `/api/bots/${path}`, { as: as(), ...(body ? { body } : {}) });

  async function tenantWithBot() {
    const { tenantId } = (await call('POST', 'tenants', { name: 'Short' })).body;
    const { botId } = (await call('POST', `${tenantId}/bots`, { name: 'Bot' })).body;
    const bot = `${tenantId}/${botId}`;
    const proven = 'insert into tenancy.mail_domains (tenant_id, domain, proven_at) values ($1, $2, now())';
    await platform.harness.asOwner(proven, [tenantId, `${tenantId}.example`]);
    const body = () => integrationBody(newToken(platform.messenger));
    const connect = () => call('POST', `${bot}/integrations`, body());
    const remove = () => call('DELETE', `tenants/${tenantId}`);
    return { tenantId, bot, connect, remove };
  }

  /** Begins requests one after another, while another transaction locks rows of the tenant for which they wait. */
  async function queued(table: string, tenantId: string, requests: (() => Promise<Answer>)[]) {
    const text = `select from tenancy.${table} where tenant_id = $1 for update`;
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const answers = await withPlatform(platform.harness.databaseAs('tenancy'), 'test', async (tx) => {
      await tx.query({ name: `test.lock.${table}`, text, values: [tenantId] });
      const begun: Promise<Answer>[] = [];
      for (const request of requests) {
        begun.push(request());
        const isWaiting = async () => (await platform.harness.asOwner(waiting)).length >= begun.length;
        await eventually(`request ${begun.length} waits`, isWaiting);
      }
      return begun;
    });
    return (await Promise.all(answers)).map(({ status }) => status);
  }

  /** On a busy machine a lock may take longer than its time limit, which is 503. A deadlock is one, too. */
  function expectStatuses(statuses: readonly number[], wanted: readonly number[]): void {
    expect(statuses.map((status, place) => (status === 503 ? wanted[place] : status))).toEqual(wanted);
    expect(platform.harness.logLines.filter((line) => line.includes('deadlock detected'))).toEqual([]);
  }

  test('the deletion of a bot', async () => {
    const { tenantId, bot, connect, remove } = await tenantWithBot();
    expect((await connect()).status).toBe(201);
    const statuses = await queued('integrations', tenantId, [remove, () => call('DELETE', bot)]);
    expectStatuses(statuses, [204, 404]);
  });

  test('a new integration', async () => {
    const { tenantId, connect, remove } = await tenantWithBot();
    expectStatuses(await queued('mail_domains', tenantId, [remove, connect]), [204, 404]);
  });

  test('a change of an integration', async () => {
    const { tenantId, bot, connect, remove } = await tenantWithBot();
    const { integrationId } = (await connect()).body;
    const disable = () => call('PUT', `${bot}/integrations/${integrationId}`, { enabled: false });
    expectStatuses(await queued('integrations', tenantId, [remove, disable]), [204, 404]);
  });

  test('an erasure', async () => {
    const { tenantId, remove } = await tenantWithBot();
    const body = { platform: 'messenger', platformUserId: '1' };
    const headers = { 'x-tenant-id': tenantId };
    const erase = () =>
      platform.tenancy.call('POST', '/api/admin/gdpr/requests', { as: as(), body, headers });
    expectStatuses(await queued('tenants', tenantId, [remove, erase]), [204, 404]);
  });
});
