import { randomUUID } from 'node:crypto';
import { type InboundMessage, messageReceived } from '@botyard/contracts/events/webhooks';
import { type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import { number } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import {
  allotmentValues,
  beforeAllTenants,
  statementsOf,
} from '@botyard/shared/work/leased-queue/queue-table';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ClaimedConversation,
  conversationQueue,
} from '../../../src/conversations/store/claimed-conversation.ts';
import { enqueueMessages } from '../../../src/intake/store/enqueue.ts';
import { saveBot } from '../../../src/store/bots.ts';
import { endTurns, type TurnEndRows } from '../../../src/turns/store/end-turns.ts';
import { claimConversations, renewLease } from '../claim-conversations.ts';

let harness: ServiceHarness;
let database: Database;
const tenantId = randomUUID();
const botId = randomUUID();

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
});

beforeEach(async () => {
  await harness.asOwner('truncate agents.conversations, agents.messages, agents.bots');
  await knowBot(0);
});

afterAll(() => harness?.close());

const knowBot = (joinWindowMs: number, revision = 1) =>
  withTenant(database, [tenantId], (tx) =>
    saveBot(tx, { tenantId, botId, name: 'B', agentIds: [], isEnabled: true, joinWindowMs, revision }),
  );

const message = (conversationId: string, seq: number, change: Partial<InboundMessage> = {}) => ({
  ...firstSample(messageReceived),
  tenantId,
  botId,
  conversationId,
  seq,
  text: `#${seq}`,
  receivedAt: new Date().toISOString(),
  ...change,
});

const enqueue = (...messages: InboundMessage[]) =>
  withTenant(database, [tenantId], (tx) => enqueueMessages(tx, messages));
const claim = (limit = 10) => claimConversations(harness, limit);
const asTenant = <Result>(work: Parameters<typeof withTenant<Result>>[2]) =>
  withTenant(database, [tenantId], work);
/** Ends a turn without a word; its messages are ended by the tests themselves. */
async function end(
  conversation: ClaimedConversation,
  row: TurnEndRows['row'],
  messages: TurnEndRows['messages'] = [],
) {
  const rows = { conversation, messages, row, events: [], eventsIfSilenced: [] };
  const [ended] = await asTenant((tx) => endTurns(tx, [rows]));
  return ended && { isReady: ended.isReady };
}
const complete = (held: ClaimedConversation, nextSeq: number) => end(held, { nextSeq });
const fail = (held: ClaimedConversation, waitMs: number) => end(held, { waitMs, reason: 'broken' });
const rest = (held: ClaimedConversation) => end(held, {});

async function waitingIn(conversationId: string) {
  const rows = await harness.asOwner<{ message_id: string }>(
    `select message_id from agents.messages where conversation_id = $1 and status = 'queued'`,
    [conversationId],
  );
  return rows.map(({ message_id: messageId }) => ({ messageId, refusal: null }));
}

async function state(conversationId: string) {
  const [row] = await harness.asOwner<{ ready_in: number | null; last_seq: string; next_seq: string }>(
    `select extract(epoch from ready_at - now())::float as ready_in, last_seq, next_seq, lease_until
     from agents.conversations where conversation_id = $1`,
    [conversationId],
  );
  return row!;
}

test('a claim that was planned for few conversations reads only those that are due, however many there are', async () => {
  const conversationId = randomUUID();
  const claimInTurn = {
    name: 'test.claim_in_turn',
    text: statementsOf(conversationQueue, true).claim,
    values: allotmentValues({ limit: 8, share: 2, free: 8, after: beforeAllTenants, running: new Map() }),
  };
  const countReadRows = {
    name: 'test.rows_read',
    text: typedSql`select ${columns({ rows: number('seq_tup_read + coalesce(idx_tup_fetch, 0)') })}
      from pg_stat_xact_user_tables where relid = 'agents.conversations'::regclass`,
    values: {},
  };
  const read = await withPlatform(
    database,
    'test',
    async (tx) => {
      expect(await tx.query(claimInTurn)).toEqual([]);
      await harness.asOwner(
        `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
         select $1, gen_random_uuid(), agents.new_id(), $1, $1, 'messenger', '{}' from generate_series(1, 3000)`,
        [tenantId],
      );
      await enqueue(message(conversationId, 1));
      // The transaction's time is that of its beginning.
      await harness.asOwner("update agents.conversations set ready_at = ready_at - interval '1 minute'");
      expect(await tx.query(claimInTurn)).toMatchObject([{ conversationId }]);
      return await tx.one(countReadRows);
    },
    { plansOnce: true },
  );
  expect(read.rows).toBeLessThan(10);
});

describe('an arriving message', () => {
  test('in one batch in the wrong order leaves the last position in the conversation', async () => {
    const id = randomUUID();
    await enqueue(message(id, 2), message(id, 1));
    expect((await state(id)).last_seq).toBe('2');
    const [held] = await claim();
    expect(held).toMatchObject({ nextSeq: 1, lastSeq: 2 });
    await complete(held!, 2);
    expect((await claim())[0]).toMatchObject({ conversationId: id, nextSeq: 2 });
  });

  test('that is older than another one changes nothing about the chat as the newer one described it', async () => {
    const id = randomUUID();
    const moved = {
      platformChatId: '-1000000000041',
      kind: 'group',
      title: 'New',
      migratedFrom: '-41',
    } as const;
    const newer = message(id, 2, { chat: moved });
    await enqueue(newer);
    await enqueue(
      message(id, 1, {
        chat: { platformChatId: '-41', kind: 'group', title: 'Old' },
        integrationId: randomUUID(),
      }),
    );
    expect(await claim()).toMatchObject([{ place: moved, integrationId: newer.integrationId, lastSeq: 2 }]);
  });

  test('makes its conversation ready after the window of its bot, immediately if the window is off', async () => {
    const [off, on] = [randomUUID(), randomUUID()];
    await enqueue(message(off, 1));
    expect((await state(off)).ready_in).toBeLessThanOrEqual(0.01);
    await knowBot(9000, 2);
    const waitsMs = await enqueue(message(on, 1));
    expect((await state(on)).ready_in).toBeGreaterThan(8);
    expect([...waitsMs][0]).toBeGreaterThan(8000);
    expect((await claim()).map(({ conversationId }) => conversationId)).toEqual([off]);
  });

  test('makes it ready immediately if it includes a command', async () => {
    await knowBot(9000, 2);
    const id = randomUUID();
    await enqueue(message(id, 1, { command: { name: 'new', argument: '' } }), message(id, 2));
    expect((await state(id)).ready_in).toBeLessThanOrEqual(0.01);
  });

  test('waits for the rest of an album, also where joining is off', async () => {
    const id = randomUUID();
    await enqueue(message(id, 1, { albumId: '14', content: 'unsupported' }));
    expect((await state(id)).ready_in).toBeGreaterThan(0.5);
    expect((await state(id)).ready_in).toBeLessThanOrEqual(1);
  });

  test('can put the answer off for five windows at most', async () => {
    await knowBot(2000, 2);
    const id = randomUUID();
    await enqueue(message(id, 1));
    await harness.asOwner(`update agents.conversations set waiting_since = now() - interval '9 seconds'`);
    await enqueue(message(id, 2));
    const { ready_in: readyIn } = await state(id);
    // Otherwise it would wait for a further window of 2 s. Half a second allows for a clock that is set back.
    expect(readyIn).toBeLessThan(1.5);
  });

  test('twice is stored once', async () => {
    const id = randomUUID();
    await enqueue(message(id, 1), message(id, 1));
    await enqueue(message(id, 1, { text: 'another text' }));
    const rows = await harness.asOwner('select text from agents.messages where conversation_id = $1', [id]);
    expect(rows).toEqual([{ text: '#1' }]);
  });
});

describe('a conversation', () => {
  test('is given to one of many claimers', async () => {
    const ids = Array.from({ length: 30 }, () => randomUUID());
    await enqueue(...ids.map((id) => message(id, 1)));
    const claimed = (await Promise.all(Array.from({ length: 6 }, () => claim(10)))).flat();
    expect(claimed).toHaveLength(30);
    expect(new Set(claimed.map(({ conversationId }) => conversationId)).size).toBe(30);
  });

  test('is claimed by another worker when its lease ends, with a higher fence that shuts the first one out', async () => {
    const id = randomUUID();
    await enqueue(message(id, 1));
    const [first] = await claim();
    expect(await claim()).toEqual([]);
    await harness.asOwner(`update agents.conversations set lease_until = now() - interval '1 second'`);
    const [second] = await claim();
    expect(second!.fence).toBe(first!.fence + 1);
    expect(await renewLease(harness, first!)).toBe(false);
    const before = await harness.asOwner('select * from agents.conversations');
    expect(await complete(first!, 2)).toBeUndefined();
    await fail(first!, 0);
    await rest(first!);
    expect(await harness.asOwner('select * from agents.conversations')).toEqual(before);
    expect(await complete(second!, 2)).toEqual({ isReady: false });
  });

  test("whose turn was ended once can't be ended again with the same fence", async () => {
    const id = randomUUID();
    await enqueue(message(id, 1));
    const [held] = await claim();
    expect(await complete(held!, 2)).toEqual({ isReady: false });
    expect(await complete(held!, 2)).toBeUndefined();
  });

  test('is not blocked by a late renewal after it was given back', async () => {
    const id = randomUUID();
    await enqueue(message(id, 1));
    const [held] = await claim();
    await complete(held!, 2);
    expect(await renewLease(harness, held!)).toBe(false);
    await enqueue(message(id, 2));
    expect(await claim()).toHaveLength(1);
  });

  test('keeps its pause after a failure, even if messages arrive', async () => {
    const id = randomUUID();
    await enqueue(message(id, 1));
    const [held] = await claim();
    await fail(held!, 30_000);
    await enqueue(message(id, 2, { command: { name: 'help', argument: '' } }));
    expect((await state(id)).ready_in).toBeGreaterThan(25);
  });

  test('becomes idle when nothing is pending, unless something has arrived meanwhile', async () => {
    const id = randomUUID();
    await enqueue(message(id, 1));
    const [held] = await claim();
    await harness.asOwner(`update agents.messages set status = 'answered'`);
    await rest(held!);
    expect((await state(id)).ready_in).toBeNull();
    await enqueue(message(id, 1));
    const [again] = await claim();
    await enqueue(message(id, 2));
    await rest(again!);
    expect(await claim()).toHaveLength(1);
  });

  test('keeps no failures of a message that no longer exists', async () => {
    const id = randomUUID();
    await enqueue(message(id, 1));
    const [failing] = await claim();
    await fail(failing!, 0);
    await harness.asOwner('delete from agents.messages');
    const [empty] = await claim();
    expect(empty).toMatchObject({ failures: 1 });
    await rest(empty!);
    await enqueue(message(id, 2));
    expect(await claim()).toMatchObject([{ failures: 0, claims: 1 }]);
  });

  test('stays ready when something arrives while its turn ends', async () => {
    const id = randomUUID();
    await enqueue(message(id, 1));
    for (let seq = 1; seq <= 20; seq += 1) {
      const [held] = await claim();
      expect(held?.nextSeq).toBe(seq);
      await Promise.all([
        end(held!, { nextSeq: seq + 1, status: 'ignored' }, await waitingIn(id)),
        enqueue(message(id, seq + 1)),
      ]);
    }
  });

  test('keeps its place after answering late messages', async () => {
    const id = randomUUID();
    await enqueue(message(id, 3));
    const [held] = await claim();
    await complete(held!, 4);
    await harness.asOwner(`update agents.messages set status = 'answered'`);
    await enqueue(message(id, 1), message(id, 2));
    const [late] = await claim();
    await complete(late!, 2);
    expect(await state(id)).toMatchObject({ next_seq: '4', last_seq: '3' });
    expect(await claim()).toHaveLength(1);
  });
});
