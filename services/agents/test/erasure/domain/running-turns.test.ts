import { randomInt } from 'node:crypto';
import { erasePerson } from '@botyard/contracts/events/agents-requests';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chat, createBot, type TestBot } from '../../agents-services.ts';
import { Apps, orderType } from '../../app-calls.ts';
import {
  botWithTool,
  callsTool,
  connectAccount,
  type IntegrationsFixture,
  openIntegrationsFixture,
  putRule,
} from '../../integrations-fixture.ts';

let fixture: IntegrationsFixture;
beforeAll(async () => {
  fixture = await openIntegrationsFixture();
  await connectAccount(fixture, 'mail');
  await putRule(fixture, { effect: 'allow' });
});
afterAll(() => fixture?.close());

/** Somebody asks a bot, and is erased while its model thinks. */
async function eraseMidway(bot: TestBot): Promise<void> {
  const { tenantId } = fixture.acme;
  const account = { platform: 'messenger' as const, platformUserId: String(randomInt(1e9)) };
  const { platformUserId } = account;
  fixture.model.hang();
  const nextRequest = fixture.model.nextRequest();
  await new Chat(fixture, bot).say('do it', {
    sender: { platformUserId, name: 'Ann' },
    chat: { platformChatId: platformUserId, kind: 'private', title: 'Ann' },
  });
  await nextRequest;
  const person = { tenantId, personIds: [personIdOfAccount(tenantId, account)], accounts: [account] };
  const bus = await fixture.harness.busAs('tenancy');
  const erasedBefore = new Date().toISOString();
  await eventually(
    'the erasure is done',
    async () => (await ask(bus, erasePerson, { ...person, erasedBefore })).isDone,
  );
  const secondRequest = fixture.model.nextRequest();
  fixture.model.release();
  await secondRequest;
}

const rowsOf = async (table: string) =>
  (await fixture.harness.asOwner<{ count: number }>(`select count(*)::int as count from agents.${table}`))[0]
    ?.count;

test('a turn that still runs saves no record of a person who was erased meanwhile', async () => {
  const apps = new Apps(fixture);
  const bot = await createBot(fixture, fixture.acme);
  await fixture.harness.settled('agents', 'tenancy');
  const records = [{ type: 'order', may: ['save' as const] }];
  const agents = [{ key: 'desk', agentId: bot.agentIds[0]!, records }];
  await apps.running({ agents, recordTypes: [orderType] }, bot.botId);
  callsTool(fixture, 'save_record', { type: 'order', fields: { item: 'Tea' } });
  await eraseMidway(bot);
  expect(await rowsOf('app_records')).toBe(0);
});

test('a running turn makes no tool call for a person who was erased meanwhile', async () => {
  const bot = await botWithTool(fixture, { toolkit: 'mail', tool: 'MAIL_SEND' });
  callsTool(fixture, bot.name, { to: 'ben@example.com' });
  await eraseMidway(bot);
  expect(await rowsOf('tool_executions')).toBe(0);
  expect(fixture.tools.executions.all).toEqual([]);
});
