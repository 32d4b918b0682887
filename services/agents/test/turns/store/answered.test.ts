import { randomUUID } from 'node:crypto';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClaimedConversation } from '../../../src/conversations/store/claimed-conversation.ts';
import {
  type AnsweredTurnRows,
  completeWithReplies,
  type NewTurn,
} from '../../../src/turns/store/answered.ts';
import { claimConversations } from '../../../src/turns/store/claims.ts';
import { enqueueMessages } from '../../../src/turns/store/enqueue.ts';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

const tenantId = randomUUID();
const command = { name: 'start', argument: '' };

/** A message that waits for its answer, and its conversation, which is held. */
async function claimed(): Promise<{ held: ClaimedConversation; messageId: string }> {
  const conversationId = randomUUID();
  const receivedAt = new Date().toISOString();
  const message = { ...firstSample(messageReceived), tenantId, conversationId, seq: 1, receivedAt, command };
  const database = harness.databaseAs('agents');
  await withTenant(database, [tenantId], (tx) => enqueueMessages(tx, [message]));
  const allotment = { limit: 10, share: 10, after: randomUUID(), running: new Map() };
  const [held] = await withPlatform(database, 'test', (tx) => claimConversations(tx, allotment));
  const [{ message_id: messageId }] = (await harness.asOwner<{ message_id: string }>(
    'select message_id from agents.messages where conversation_id = $1',
    [conversationId],
  )) as [{ message_id: string }];
  return { held: held!, messageId };
}

function turnOf(held: ClaimedConversation, answeredIds: string[]): AnsweredTurnRows {
  const { conversationId } = held;
  const record: NewTurn = {
    tenantId,
    conversationId,
    turnId: randomUUID(),
    replyId: randomUUID(),
    messageIds: answeredIds,
    agentId: null,
    outcome: 'command',
    failure: null,
    triage: null,
    provider: null,
    model: null,
    keyId: null,
    keySource: 'none',
    contextMessages: 0,
    inputTokens: 0,
    outputTokens: 0,
    isEstimated: false,
    durationMs: 1,
    deliveries: [],
    context: null,
    modelRecord: null,
    keyAttempts: [],
    toolCalls: [],
  };
  const reply = { seq: held.nextReplySeq, afterSeq: 1, text: 'hello' };
  const events = ['reply', 'turn'].map((data) => ({
    id: randomUUID(),
    subject: `test.${conversationId}`,
    data,
    traceparent: null,
  }));
  const end = { nextSeq: 2, stickyAgentId: null, resetsContext: false, hasReply: true };
  return { held, end, answeredIds, record, reply, events };
}

const answerAll = (turns: AnsweredTurnRows[]) =>
  withTenant(
    harness.databaseAs('agents'),
    [tenantId],
    (tx) => {
      tx.endsHere();
      return completeWithReplies(tx, turns);
    },
    { plansOnce: true },
  );
const answer = async (...turn: Parameters<typeof turnOf>) => (await answerAll([turnOf(...turn)]))[0];

const written = async ({ conversationId }: ClaimedConversation) => {
  const [row] = await harness.asOwner(
    `select next_seq::int, next_reply_seq::int, lease_until is null as is_free,
       (select string_agg(status, ' ' order by seq, direction) from agents.messages where conversation_id = $1) as statuses,
       (select count(*)::int from agents.turns t where conversation_id = $1
          and message_ids = (select array_agg(message_id) from agents.messages m
            where m.conversation_id = t.conversation_id and direction = 'in')) as turns,
       (select count(*)::int from agents.outbox where subject = 'test.' || $1) as events
     from agents.conversations where conversation_id = $1::uuid`,
    [conversationId],
  );
  return row;
};
const ended = {
  next_seq: 2,
  next_reply_seq: 2,
  is_free: true,
  turns: 1,
  events: 2,
  statuses: 'answered sending',
};
const nothing = { next_seq: 1, next_reply_seq: 1, is_free: false, statuses: 'queued', turns: 0, events: 0 };

describe('an answer', () => {
  test('is written with its record and its events, and the conversation moves on', async () => {
    const { held, messageId } = await claimed();
    expect(await answer(held, [messageId])).toEqual({ isReady: false });
    expect(await written(held)).toEqual(ended);
  });

  test('leaves nothing if its process has lost the conversation', async () => {
    const { held, messageId } = await claimed();
    expect(await answer({ ...held, fence: held.fence - 1 }, [messageId])).toBeUndefined();
    expect(await written(held)).toEqual(nothing);
  });

  test('leaves nothing when a message of its turn was ended meanwhile', async () => {
    const { held, messageId } = await claimed();
    await expect(answer(held, [messageId, randomUUID()])).rejects.toThrow('was ended meanwhile');
    expect(await written(held)).toEqual(nothing);
  });

  test('is written together with others: a lost conversation leaves nothing, and affects none of them', async () => {
    const turns = [await claimed(), await claimed(), await claimed()];
    const [first, lost, last] = turns.map(({ held, messageId }) => turnOf(held, [messageId])) as [
      AnsweredTurnRows,
      AnsweredTurnRows,
      AnsweredTurnRows,
    ];
    lost.held = { ...lost.held, fence: lost.held.fence - 1 };
    expect(await answerAll([first, lost, last])).toEqual([{ isReady: false }, undefined, { isReady: false }]);
    const rows = await Promise.all(turns.map(({ held }) => written(held)));
    expect(rows).toEqual([ended, nothing, ended]);
  });

  test('leaves nothing of any turn in its transaction when a message of one was ended meanwhile', async () => {
    const [whole, broken] = [await claimed(), await claimed()];
    const turns = [turnOf(whole.held, [whole.messageId]), turnOf(broken.held, [randomUUID()])];
    await expect(answerAll(turns)).rejects.toThrow('was ended meanwhile');
    expect(await written(whole.held)).toEqual(nothing);
    expect(await written(broken.held)).toEqual(nothing);
  });
});
