import { randomUUID } from 'node:crypto';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { withTenant } from '@botyard/shared/db/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveRating } from '../../../src/outcomes/domain/save-rating.ts';
import { sweepTenant } from '../../../src/outcomes/domain/sweep-sessions.ts';
import { type AgentsServices, createAgent, openAgentsServices } from '../../agents-services.ts';
import { addTool } from '../../answering/domain/loop/equipped.ts';
import { insertSession } from '../sessions.ts';

let services: AgentsServices;
let tenantId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  tenantId = services.acme.tenantId;
});

afterAll(() => services?.close());

const costs = new Map<string, number>();
const usage = {
  costsOf: async (_tenantId: string, turnIds: string[]) =>
    turnIds.flatMap((turnId) => (costs.has(turnId) ? [{ turnId, costMicroUsd: costs.get(turnId)! }] : [])),
} as never;
const silent = { warn: () => undefined } as never;
const sweep = () =>
  sweepTenant({ database: services.harness.databaseAs('agents'), log: silent, usage }, tenantId);

const readSession = async (sessionId: string) =>
  (
    await services.harness.asOwner<Record<string, unknown>>(
      'select * from agents.session_outcomes where session_id = $1',
      [sessionId],
    )
  )[0];

const insert = (turns: Parameters<typeof insertSession>[1]['turns'], more: object = {}) =>
  insertSession(services, { tenantId, agentId: randomUUID(), turns, ...more });

test('a session of a day is resolved, with its agent, version, bot, channel, person, cost and time', async () => {
  const agentId = await createAgent(services, services.acme, { instructions: 'x' });
  const botId = randomUUID();
  const turns = [{ hoursAgo: 26, agentVersion: 3 }, { hoursAgo: 25.9 }];
  const { sessionId, turnIds } = await insert(turns, { agentId, botId, platformUserId: '4711' });
  costs.set(turnIds[0]!, 200);
  costs.set(turnIds[1]!, 300);
  await sweep();
  expect(await readSession(sessionId)).toMatchObject({
    agent_id: agentId,
    agent_version: 3,
    bot_id: botId,
    platform: 'messenger',
    person_id: personIdOfAccount(tenantId, { platform: 'messenger', platformUserId: '4711' }),
    outcomes: ['resolved'],
    turns: 2,
    duration_ms: '200',
    cost_micro_usd: '500',
    is_final: true,
    due_at: null,
  });
});

test('within an hour nothing is decided, after an hour what needs an hour, and after a day the rest', async () => {
  const { sessionId } = await insert([{ hoursAgo: 0.9, outcome: 'apologized' }]);
  await sweep();
  expect(await readSession(sessionId)).toBeUndefined();
  const later = await insert([{ hoursAgo: 2, outcome: 'apologized' }]);
  await sweep();
  expect(await readSession(later.sessionId)).toMatchObject({ outcomes: ['failed'], is_final: false });
  await services.harness.asOwner(
    `update agents.session_outcomes set due_at = now(), began_at = began_at - interval '1 day' where session_id = $1`,
    [later.sessionId],
  );
  await services.harness.asOwner(
    `update agents.turns set created_at = created_at - interval '1 day' where session_id = $1`,
    [later.sessionId],
  );
  await sweep();
  expect(await readSession(later.sessionId)).toMatchObject({
    outcomes: ['given_up', 'failed'],
    is_final: true,
  });
});

test('a stop, the same words again, and a hand-over with its reason are outcomes of a session', async () => {
  const toolId = await addTool(services, { name: 'to_staff', kind: 'hand_over' });
  const handover = {
    toolId,
    name: 'to_staff',
    arguments: '{"reason":"wants a refund"}',
    outcome: 'ok',
    result: 'ok',
  };
  const [stopped, repeated, handedOver] = await Promise.all([
    insert([{ hoursAgo: 26 }, { hoursAgo: 25.9, outcome: 'command', command: 'stop' }]),
    insert([
      { hoursAgo: 26, text: 'Hello? ' },
      { hoursAgo: 25.9, text: 'hello?' },
    ]),
    insert([{ hoursAgo: 26, toolCalls: [handover] }]),
  ]);
  await sweep();
  expect((await readSession(stopped.sessionId))?.outcomes).toEqual(['stopped']);
  expect((await readSession(repeated.sessionId))?.outcomes).toEqual(['resolved', 'repeated']);
  expect(await readSession(handedOver.sessionId)).toMatchObject({
    outcomes: ['handed_over'],
    handover_reason: 'wants a refund',
  });
});

test('a thumb rates the session of its answer; a newer one changes it, and one that is taken back ends it', async () => {
  const { sessionId, conversationId, turnIds } = await insert([{ hoursAgo: 26 }]);
  await sweep();
  const [turn] = await services.harness.asOwner<{ reply_id: string; agent_id: string }>(
    'select reply_id, agent_id from agents.turns where turn_id = $1',
    [turnIds[0]],
  );
  const replyId = turn!.reply_id;
  await services.harness.asOwner(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, agent_id,
       status, received_at)
     values ($1, $2, $3, 'out', 1, 'yes', 'text', $4, 'sent', now())`,
    [tenantId, replyId, conversationId, turn!.agent_id],
  );
  const rate = (rating: 'up' | 'down' | null, second: number) => {
    const ratedAt = new Date(Date.UTC(2026, 10, 20, 12, 0, second)).toISOString();
    const data = { tenantId, botId: randomUUID(), conversationId, replyId, rating, ratedAt };
    return withTenant(services.harness.databaseAs('agents'), [tenantId], (tx) => saveRating(tx, data));
  };
  const outcomes = async () => {
    await sweep();
    return (await readSession(sessionId))?.outcomes;
  };
  await rate('up', 1);
  expect(await outcomes()).toEqual(['resolved', 'rated_up']);
  await rate('down', 3);
  expect(await outcomes()).toEqual(['resolved', 'rated_down']);
  await rate('up', 2);
  expect(await outcomes()).toEqual(['resolved', 'rated_down']);
  await rate(null, 4);
  expect(await outcomes()).toEqual(['resolved']);
});

test('a second sweep changes nothing, and one without an answer about costs decides later', async () => {
  const { sessionId } = await insert([{ hoursAgo: 30 }]);
  const database = services.harness.databaseAs('agents');
  const silence = { costsOf: () => Promise.reject(new Error('no answer')) } as never;
  await expect(sweepTenant({ database, log: silent, usage: silence }, tenantId)).rejects.toThrow('no answer');
  expect(await readSession(sessionId)).toMatchObject({ outcomes: [], is_final: false });
  await sweep();
  const decided = await readSession(sessionId);
  expect(decided).toMatchObject({ outcomes: ['resolved'], is_final: true });
  await sweep();
  expect(await readSession(sessionId)).toEqual(decided);
});

test('a session that was deleted while it was decided stays deleted', async () => {
  const { sessionId } = await insert([{ hoursAgo: 30 }]);
  const erasing = {
    costsOf: async () => {
      await services.harness.asOwner('delete from agents.session_outcomes where session_id = $1', [
        sessionId,
      ]);
      return [];
    },
  } as never;
  await sweepTenant(
    { database: services.harness.databaseAs('agents'), log: silent, usage: erasing },
    tenantId,
  );
  await sweep();
  expect(await readSession(sessionId)).toBeUndefined();
});
