import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepTenant } from '../../../src/outcomes/domain/sweep-sessions.ts';
import { type AgentsServices, createAgent, openAgentsServices } from '../../agents-services.ts';
import { insertSession } from '../../outcomes/sessions.ts';

let services: AgentsServices;
let agentId: string;
let otherAgentId: string;
/** A failed and an answered chat of version 2, which version 3 has answered since, and chats of version 3. */
let failed: string;
let resolved: string;

beforeAll(async () => {
  services = await openAgentsServices();
  [agentId, otherAgentId] = await Promise.all([
    createAgent(services, services.acme, { instructions: 'x' }),
    createAgent(services, services.acme, { instructions: 'y' }),
  ]);
  failed = await addChat(agentId, 'apologized');
  resolved = await addChat(agentId, 'answered');
  await addChat(otherAgentId, 'apologized');
  const usage = { costsOf: async () => [] } as never;
  const log = { warn: () => undefined } as never;
  await sweepTenant({ database: services.harness.databaseAs('agents'), log, usage }, services.acme.tenantId);
});
afterAll(() => services?.close());

/** A chat with a session of version 2 two days ago, and an answered one of version 3 since. */
async function addChat(agent: string, outcome: 'answered' | 'apologized'): Promise<string> {
  const { tenantId } = services.acme;
  const add = (conversationId: string | undefined, turn: { hoursAgo: number; agentVersion: number }) =>
    insertSession(services, {
      tenantId,
      agentId: agent,
      turns: [{ ...turn, outcome: turn.agentVersion === 2 ? outcome : 'answered' }],
      ...(conversationId && { conversationId }),
    });
  const { conversationId, chatId } = await add(undefined, { hoursAgo: 60, agentVersion: 2 });
  await add(conversationId, { hoursAgo: 30, agentVersion: 3 });
  return chatId;
}

const list = (query: string, as = services.acme.admin) =>
  services.agents.call('GET', `/api/interactions/chats?sort=createdAt&${query}`, { as });
const idsOf = async (query: string) =>
  (await list(query)).body.map((chat: { chatId: string }) => chat.chatId);

test('chats are listed by the version of an agent that answered a session, also an earlier one, and by its outcome', async () => {
  const version = (number: number) => `agentId=${agentId}&agentVersion=${number}`;
  expect(await idsOf(version(2))).toEqual([failed, resolved]);
  expect(await idsOf(`${version(2)}&outcome=failed`)).toEqual([failed]);
  expect(await idsOf(`${version(2)}&outcome=resolved`)).toEqual([resolved]);
  expect(await idsOf(`${version(3)}&outcome=failed`)).toEqual([]);
  expect(await idsOf(version(9))).toEqual([]);
  expect((await list(version(2), services.other.admin)).body).toEqual([]);
});

test('a version without its agent is refused, and so is one that is no number', async () => {
  const { status, body } = await list('agentVersion=2');
  expect([status, body.issues]).toEqual([400, [{ path: 'agentVersion', message: 'needs agentId' }]]);
  expect((await list(`agentId=${agentId}&agentVersion=two`)).status).toBe(400);
});
