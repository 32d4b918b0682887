import { randomUUID } from 'node:crypto';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { withTenant } from '@botyard/shared/db/database';
import { number } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClaimedConversation } from '../../../src/conversations/store/claimed-conversation.ts';
import { enqueueMessages } from '../../../src/intake/store/enqueue.ts';
import { endTurns, type NewTurn, type TurnEndRows } from '../../../src/turns/store/end-turns.ts';
import { claimConversations } from '../claim-conversations.ts';

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
  // Others may be due again by now: those of earlier tests that were postponed.
  const held = (await claimConversations(harness)).find((one) => one.conversationId === conversationId);
  const [{ message_id: messageId }] = (await harness.asOwner<{ message_id: string }>(
    'select message_id from agents.messages where conversation_id = $1',
    [conversationId],
  )) as [{ message_id: string }];
  return { held: held!, messageId };
}

function turnOf(held: ClaimedConversation, answeredIds: string[]): TurnEndRows {
  const { conversationId } = held;
  const record: NewTurn = {
    tenantId,
    conversationId,
    turnId: randomUUID(),
    replyId: randomUUID(),
    messageIds: answeredIds,
    agentId: null,
    agentVersion: null,
    sessionId: answeredIds[0]!,
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
  return {
    conversation: held,
    row: {
      ...record,
      status: 'answered',
      nextSeq: 2,
      seq: held.nextReplySeq,
      afterSeq: 1,
      text: 'hello',
      beginsSession: true,
      sessionAgents: {},
    },
    messages: messagesOf(answeredIds),
    events: ['reply', 'turn'].map((data) => eventOf(held, data)),
    eventsIfSilenced: [eventOf(held, 'use')],
  };
}

const messagesOf = (ids: string[]) => ids.map((messageId) => ({ messageId, refusal: null }));

const eventOf = ({ conversationId }: ClaimedConversation, data: string) => ({
  id: randomUUID(),
  subject: `test.${conversationId}`,
  data,
  traceparent: null,
});

/** The end of a turn without a reply. */
const endOf = (
  conversation: ClaimedConversation,
  messages: TurnEndRows['messages'],
  row: TurnEndRows['row'],
): TurnEndRows => ({ conversation, messages, row, events: [], eventsIfSilenced: [] });

const endAll = (turns: TurnEndRows[]) =>
  withTenant(harness.databaseAs('agents'), [tenantId], (tx) => endTurns(tx, turns), { plansOnce: true });
const answer = async (...turn: Parameters<typeof turnOf>) => (await endAll([turnOf(...turn)]))[0];

const written = async ({ conversationId }: ClaimedConversation) => {
  const [row] = await harness.asOwner(
    `select next_seq::int, next_reply_seq::int, lease_until is null as is_free,
       (select string_agg(status, ' ' order by seq, direction) from agents.messages where conversation_id = $1) as statuses,
       (select count(*)::int from agents.turns t where conversation_id = $1
          and message_ids = (select array_agg(message_id) from agents.messages m
            where m.conversation_id = t.conversation_id and direction = 'in')) as turns,
       (select string_agg(data, ' ' order by data) from agents.outbox where subject = 'test.' || $1) as events
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
  events: 'reply turn',
  statuses: 'answered sending',
};
const nothing = {
  next_seq: 1,
  next_reply_seq: 1,
  is_free: false,
  statuses: 'queued',
  turns: 0,
  events: null,
};

describe('an answer', () => {
  test('is written with its record and its events, and the conversation moves on', async () => {
    const { held, messageId } = await claimed();
    expect(await answer(held, [messageId])).toMatchObject({ isReady: false, isSilenced: false });
    expect(await written(held)).toEqual(ended);
  });

  test('leaves nothing if its process has lost the conversation', async () => {
    const { held, messageId } = await claimed();
    expect(await answer({ ...held, fence: held.fence - 1 }, [messageId])).toBeUndefined();
    expect(await written(held)).toEqual(nothing);
  });

  test('leaves nothing when a message of its turn was ended meanwhile', async () => {
    const { held, messageId } = await claimed();
    await expect(answer(held, [messageId, randomUUID()])).rejects.toThrow(
      'null value in column "conversation_id"',
    );
    expect(await written(held)).toEqual(nothing);
  });

  test('is written together with others: a lost conversation leaves nothing, and affects none of them', async () => {
    const turns = [await claimed(), await claimed(), await claimed()];
    const [first, lost, last] = turns.map(({ held, messageId }) => turnOf(held, [messageId])) as [
      TurnEndRows,
      TurnEndRows,
      TurnEndRows,
    ];
    lost.conversation = { ...lost.conversation, fence: lost.conversation.fence - 1 };
    expect((await endAll([first, lost, last])).map((end) => end?.isReady)).toEqual([false, undefined, false]);
    const rows = await Promise.all(turns.map(({ held }) => written(held)));
    expect(rows).toEqual([ended, nothing, ended]);
  });

  test('is written once, with its own events, if two with the same fence end together', async () => {
    const { held, messageId } = await claimed();
    const ends = await endAll([turnOf(held, [messageId]), turnOf(held, [messageId])]);
    expect(ends.filter((end) => end !== undefined)).toHaveLength(1);
    expect(await written(held)).toEqual(ended);
  });

  test('leaves nothing of any turn in its transaction when a message of one was ended meanwhile', async () => {
    const [whole, broken] = [await claimed(), await claimed()];
    const turns = [turnOf(whole.held, [whole.messageId]), turnOf(broken.held, [randomUUID()])];
    await expect(endAll(turns)).rejects.toThrow('null value in column "conversation_id"');
    expect(await written(whole.held)).toEqual(nothing);
    expect(await written(broken.held)).toEqual(nothing);
  });
});

test('the end of a turn reads its own conversation and messages, however many the tenant has', async () => {
  const { held, messageId } = await claimed();
  await harness.asOwner(
    `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
     select $1, gen_random_uuid(), agents.new_id(), $1, $1, 'messenger', '{}' from generate_series(1, 3000)`,
    [tenantId],
  );
  await harness.asOwner(
    `insert into agents.messages
       (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
     select tenant_id, agents.new_id(), conversation_id, 'in', 1, 'hello', 'text', 'answered', now()
     from agents.conversations where tenant_id = $1 and bot_id = $1`,
    [tenantId],
  );
  await harness.asOwner('vacuum analyze agents.conversations, agents.messages');
  const read = await withTenant(
    harness.databaseAs('agents'),
    [tenantId],
    async (tx) => {
      expect(await endTurns(tx, [turnOf(held, [messageId])])).toMatchObject([{ isReady: false }]);
      return await tx.one({
        name: 'test.rows_read',
        text: typedSql`select ${columns({ rows: number('sum(seq_tup_read + coalesce(idx_tup_fetch, 0))') })}
          from pg_stat_xact_user_tables where relname in ('conversations', 'messages')`,
        values: {},
      });
    },
    { plansOnce: true },
  );
  expect(read.rows).toBeLessThan(10);
});

describe('a reply whose turn was stopped, or whose chat a person has taken over', () => {
  test.each(['stopped_seq = 2', 'muted_fence = fence'])(
    'with %s is left out: its messages are ignored with the reason, and only its use is announced',
    async (change) => {
      const { held, messageId } = await claimed();
      await harness.asOwner(`update agents.conversations set ${change} where conversation_id = $1`, [
        held.conversationId,
      ]);
      expect(await answer(held, [messageId])).toMatchObject({ isSilenced: true });
      expect(await written(held)).toEqual({
        ...nothing,
        next_seq: 2,
        is_free: true,
        statuses: 'ignored',
        events: 'use',
      });
      const [row] = await harness.asOwner('select last_error from agents.messages where message_id = $1', [
        messageId,
      ]);
      expect(row).toEqual({ last_error: 'its answer came too late' });
    },
  );
});

describe('every other end', () => {
  const ends = ['silence', 'dead', 'postponed'] as const;
  const rowsOf = (kind: (typeof ends)[number], held: ClaimedConversation, messageId: string): TurnEndRows => {
    if (kind === 'postponed') return endOf(held, [], { waitMs: 60_000, reason: 'broken' });
    const row = { nextSeq: 2, reason: 'no answer' };
    const ended =
      kind === 'dead'
        ? { ...row, status: 'dead' as const, tries: 6 }
        : { ...row, status: 'ignored' as const };
    return { ...endOf(held, messagesOf([messageId]), ended), events: [eventOf(held, kind)] };
  };

  test.each(ends)('writes nothing if its process has lost the conversation: %s', async (kind) => {
    const { held, messageId } = await claimed();
    const rows = rowsOf(kind, { ...held, fence: held.fence - 1 }, messageId);
    expect(await endAll([rows])).toEqual([undefined]);
    expect(await written(held)).toEqual(nothing);
  });

  test('is written with others of other kinds in one transaction', async () => {
    const turns = [await claimed(), await claimed(), await claimed(), await claimed()];
    const kinds = ['reply', ...ends] as const;
    await endAll(
      turns.map(({ held, messageId }, index) => {
        const kind = kinds[index]!;
        return kind === 'reply' ? turnOf(held, [messageId]) : rowsOf(kind, held, messageId);
      }),
    );
    const unanswered = { ...nothing, next_seq: 2, is_free: true };
    expect(await Promise.all(turns.map(({ held }) => written(held)))).toEqual([
      ended,
      { ...unanswered, statuses: 'ignored', events: 'silence' },
      { ...unanswered, statuses: 'dead', events: 'dead' },
      { ...nothing, is_free: true },
    ]);
    const failures = await harness.asOwner(
      'select failures, claims, last_error from agents.conversations where conversation_id = any ($1) order by failures',
      [turns.map(({ held }) => held.conversationId)],
    );
    const none = { failures: 0, claims: 0, last_error: null };
    expect(failures).toEqual([none, none, none, { failures: 1, claims: 1, last_error: 'broken' }]);
  });

  test('of a sender who is refused keeps the refusal with the message', async () => {
    const { held, messageId } = await claimed();
    await endAll([endOf(held, [{ messageId, refusal: 'muted' }], { status: 'ignored', nextSeq: 2 })]);
    const [row] = await harness.asOwner('select status, refusal from agents.messages where message_id = $1', [
      messageId,
    ]);
    expect(row).toEqual({ status: 'ignored', refusal: 'muted' });
  });
});
