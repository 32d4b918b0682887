import type { IntegrationHealth, PlatformStats } from '@botyard/contracts/http/platforms';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatSimulator } from '../../chat-simulator.ts';
import {
  callOk,
  integrationBody,
  newToken,
  openPlatform,
  type Platform,
  startAgents,
  startWebhooks,
} from '../../whole-platform.ts';

let platform: Platform;
let simulator: ChatSimulator;
let bot: { tenantId: string; botId: string };
let integrationId: string;
let botToken: string;

beforeAll(async () => {
  platform = await openPlatform();
  await startAgents(platform);
  await startWebhooks(platform, 'https://hooks.example.com');
  simulator = new ChatSimulator(platform);
  bot = await simulator.createBot(platform.acme);
  botToken = newToken(platform.messenger);
  const created = await callOk(
    platform.tenancy,
    'POST',
    `/api/bots/${bot.tenantId}/${bot.botId}/integrations`,
    {
      as: platform.acme.admin,
      body: integrationBody(botToken),
    },
  );
  integrationId = created.integrationId;
  await eventually('it is registered', async () => (await health()).registration.state === 'registered');
});
afterAll(() => platform?.close());

const path = '/api/platforms';
const stats = (as = platform.acme.admin): Promise<PlatformStats[]> =>
  callOk(platform.tenancy, 'GET', path, { as });
const health = (): Promise<IntegrationHealth> =>
  callOk(platform.tenancy, 'GET', `${path}/integrations/${integrationId}`, { as: platform.acme.admin });
const check = (as = platform.acme.admin) =>
  platform.tenancy.call('POST', `${path}/integrations/${integrationId}/check`, { as });

test('figures are computed from received and sent messages, for each platform, of the own tenant alone', async () => {
  const { harness, acme, other } = platform;
  const { conversationId } = await simulator.say(bot);
  await simulator.say(bot, { conversationId });
  await simulator.say(bot, {
    sender: { platformUserId: '7', name: 'Ravi' },
    receivedAt: '2026-11-20T18:40:00.000Z',
  });
  await simulator.say(await simulator.createBot(other));
  await harness.asOwner(
    `insert into webhooks.replies (tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, place, text, state, created_at)
     select $1, gen_random_uuid(), $2, $3, gen_random_uuid(), 1, '{}', 'x', state, '2026-11-20T10:00:00Z'
     from unnest(array['waiting', 'queued', 'failed', 'sent']) as state`,
    [bot.tenantId, bot.botId, integrationId],
  );
  await harness.asOwner(
    `insert into webhooks.chats (tenant_id, bot_id, platform_chat_id, integration_id, blocked_at) values ($1, $2, '1', $3, now())`,
    [bot.tenantId, bot.botId, integrationId],
  );
  const sending = {
    repliesWaiting: 2,
    repliesFailed: 1,
    blockedChats: 1,
    oldestWaitingAt: '2026-11-20T10:00:00.000Z',
  };
  const traffic = {
    chats: 2,
    people: 2,
    messagesIn: 3,
    messagesOut: expect.any(Number),
    lastDeliveryAt: expect.any(String),
  };
  const [messenger, email] = await stats();
  expect(messenger).toEqual({
    platform: 'messenger',
    integrations: 1,
    enabledIntegrations: 1,
    registrations: { pending: 0, registered: 1, failed: 0 },
    ...traffic,
    ...sending,
  });
  expect(email).toMatchObject({
    platform: 'email',
    integrations: 0,
    chats: 0,
    lastDeliveryAt: null,
    repliesFailed: 0,
  });
  expect((await stats(other.admin))[0]).toMatchObject({
    integrations: 0,
    chats: 1,
    repliesFailed: 0,
    blockedChats: 0,
  });
  expect(await health()).toMatchObject({
    ...traffic,
    ...sending,
    integrationId,
    botId: bot.botId,
    botName: 'Support',
  });
  const listed = await callOk(platform.tenancy, 'GET', `${path}/integrations?botId=${bot.botId}`, {
    as: acme.admin,
  });
  // Answers are still being sent.
  expect(listed).toEqual([{ ...(await health()), messagesOut: expect.any(Number) }]);
  expect(
    await callOk(platform.tenancy, 'GET', `${path}/integrations?platform=email`, { as: acme.admin }),
  ).toEqual([]);
});

test('a check finds a removed webhook, and reports its repair', async () => {
  platform.messenger.bot(botToken).webhook = undefined;
  const before = (await health()).registration.checkedAt;
  const answer = await check();
  expect([answer.status, answer.body.integrationId]).toEqual([202, integrationId]);
  const after = await eventually('it was checked', async () => {
    const now = await health();
    return now.registration.checkedAt !== before && now;
  });
  expect(after.webhook).toMatchObject({
    repairs: 1,
    lastRepairReason: 'removed',
    nextCheckAt: expect.any(String),
  });
  expect(platform.messenger.bot(botToken).webhook?.url).toContain(bot.botId);
});

test("integrations of another tenant can't be checked", async () => {
  expect((await check(platform.other.admin)).status).toBe(404);
  expect((await check(platform.acme.member)).status).toBe(403);
});
