import { randomUUID } from 'node:crypto';
import { chatMigrated } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { admitMessages } from '../../../src/moderation/domain/admit-messages.ts';
import { createPolicyDecisions } from '../../../src/policies/domain/decisions.ts';
import { createBot, openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let database: ReturnType<TenancyServices['harness']['databaseAs']>;
let botId: string;

beforeAll(async () => {
  services = await openTenancyServices();
  database = services.harness.databaseAs('tenancy');
});

beforeEach(async () => {
  botId = await createBot(services, services.acme);
  const path = `/api/auth/bots/${botId}`;
  await services.tenancy.call('PUT', path, { as: services.acme.admin, body: { channels: 'granted' } });
});

afterAll(() => services?.close());

const grant = async (platformChatId: string) => {
  const body = { botId, platform: 'messenger', platformChatId };
  const path = '/api/auth/channel-grants';
  expect((await services.tenancy.call('POST', path, { as: services.acme.admin, body })).status).toBe(201);
};

const grantedChats = async () => {
  const path = `/api/auth/channel-grants?botId=${botId}`;
  const { body } = await services.tenancy.call('GET', path, { as: services.acme.admin });
  return body.map(({ platformChatId }: { platformChatId: string }) => platformChatId);
};

const migrate = async (change: { tenantId?: string } = {}) => {
  await services.harness.publish(chatMigrated, {
    tenantId: services.acme.tenantId,
    botId,
    platform: 'messenger',
    fromChatId: '-41',
    toChatId: '-1000000000041',
    conversationId: randomUUID(),
    interimConversationId: randomUUID(),
    ...change,
  });
  await services.harness.settled('tenancy', 'webhooks');
};

const refusalsIn = async (chat: { platformChatId: string; migratedFrom?: string }) => {
  const senders = [{ platformUserId: '1', name: 'Anna' }];
  const policies = createPolicyDecisions({ database, log: services.harness.log('test') });
  const { refusals } = await admitMessages(
    { database, policies },
    {
      tenantId: services.acme.tenantId,
      botId,
      platform: 'messenger',
      senders,
      chat: { ...chat, kind: 'group' },
    },
  );
  return refusals;
};

test('the grant of a group follows it into the supergroup that it became', async () => {
  await grant('-41');
  await migrate();
  await migrate();
  expect(await grantedChats()).toEqual(['-1000000000041']);
  expect(await refusalsIn({ platformChatId: '-1000000000041' })).toEqual([]);
  expect(await refusalsIn({ platformChatId: '-41' })).toHaveLength(1);
});

test('until then a message from the former group is admitted', async () => {
  await grant('-41');
  const moved = { platformChatId: '-1000000000041', migratedFrom: '-41' };
  expect(await refusalsIn(moved)).toEqual([]);
  expect(await refusalsIn({ ...moved, migratedFrom: '-42' })).toHaveLength(1);
});

test('a grant that the supergroup has already stays the only one', async () => {
  await grant('-41');
  await grant('-1000000000041');
  await migrate();
  expect(await grantedChats()).toEqual(['-1000000000041']);
});

test("another tenant's migration moves nothing, and a group without a grant gets none", async () => {
  await migrate();
  expect(await grantedChats()).toEqual([]);
  await grant('-41');
  await migrate({ tenantId: services.other.tenantId });
  expect(await grantedChats()).toEqual(['-41']);
});

test('a policy that refuses in the group also refuses in its successor', async () => {
  const text = `forbid(principal, action == Action::"sendMessage", resource) when { context.platformChatId == "-41" };`;
  const body = { name: `P ${randomUUID()}`, text, enabled: true };
  await services.tenancy.call('POST', '/api/auth/policies', { as: services.acme.admin, body });
  await grant('-1000000000041');
  const moved = { platformChatId: '-1000000000041', migratedFrom: '-41' };
  expect(await refusalsIn(moved)).toEqual([{ platformUserId: '1', refusal: 'policy' }]);
  expect(await refusalsIn({ platformChatId: '-1000000000041' })).toEqual([]);
});
