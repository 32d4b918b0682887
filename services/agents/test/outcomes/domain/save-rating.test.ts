import { randomUUID } from 'node:crypto';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { replyRated } from '@botyard/contracts/events/webhooks';
import { withTenant } from '@botyard/shared/db/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveRating } from '../../../src/outcomes/domain/save-rating.ts';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';

let services: AgentsServices;
let tenantId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  tenantId = services.acme.tenantId;
});
afterAll(() => services?.close());

type Change = Partial<Pick<DataOf<typeof replyRated>, 'rating' | 'reaction' | 'platformUserId'>> & {
  second: number;
};

/** An answer to a person of a channel in which others write, too. */
async function answerTo(platformUserId: string, { staffId = null }: { staffId?: string | null } = {}) {
  const [conversationId, replyId] = [randomUUID(), randomUUID()];
  const said = [
    { seq: 1, user: 'UBEFORE', isAddressed: true },
    { seq: 2, user: platformUserId, isAddressed: true },
    { seq: 3, user: 'UOVERHEARD', isAddressed: false },
    { seq: 4, user: 'ULATER', isAddressed: true },
  ];
  for (const { seq, user, isAddressed } of said)
    await services.harness.asOwner(
      `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, sender,
         is_addressed, status, received_at)
       values ($1, $2, $3, 'in', $4, 'Hi', 'text', $5, $6, 'answered', now())`,
      [
        tenantId,
        randomUUID(),
        conversationId,
        seq,
        JSON.stringify({ platformUserId: user, name: 'x' }),
        isAddressed,
      ],
    );
  await services.harness.asOwner(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, after_seq, text, content,
       agent_id, staff_id, status, received_at)
     values ($1, $2, $3, 'out', 1, 3, 'Hello', 'text', $4, $5, 'sent', now())`,
    [tenantId, replyId, conversationId, randomUUID(), staffId],
  );
  const rate = ({ rating = null, second, ...more }: Change) => {
    const ratedAt = new Date(Date.UTC(2026, 10, 20, 12, 0, second)).toISOString();
    const rated = { tenantId, botId: randomUUID(), conversationId, replyId, rating, ratedAt, ...more };
    return withTenant(services.harness.databaseAs('agents'), [tenantId], (tx) => saveRating(tx, rated));
  };
  const stored = async () => {
    const [row] = await services.harness.asOwner<{ rating: string | null; reactions: object | null }>(
      'select rating, reactions from agents.messages where message_id = $1',
      [replyId],
    );
    return row!;
  };
  return { rate, stored, rating: async () => (await stored()).rating };
}

const up = { rating: 'up', reaction: '+1' } as const;
const down = { rating: 'down', reaction: '-1' } as const;
const noUp = { reaction: '+1' };
const noDown = { reaction: '-1' };

test.each<[string, Change[], string | null]>([
  ['a thumb that was added', [{ ...up, second: 1 }], 'up'],
  [
    'one that was taken back',
    [
      { ...up, second: 1 },
      { ...noUp, second: 2 },
    ],
    null,
  ],
  [
    'the newer of two thumbs',
    [
      { ...up, second: 1 },
      { ...down, second: 2 },
    ],
    'down',
  ],
  [
    'the other thumb, before the first is taken back',
    [
      { ...up, second: 1 },
      { ...down, second: 2 },
      { ...noUp, second: 3 },
    ],
    'down',
  ],
  [
    'the other thumb, after the first was taken back',
    [
      { ...up, second: 1 },
      { ...noUp, second: 2 },
      { ...down, second: 3 },
    ],
    'down',
  ],
  [
    'the first thumb again, once the other is taken back',
    [
      { ...up, second: 1 },
      { ...down, second: 2 },
      { ...noDown, second: 3 },
    ],
    'up',
  ],
  [
    'another tone of skin',
    [
      { ...up, second: 1 },
      { rating: 'up', reaction: '+1::skin-tone-3', second: 2 },
      { ...noUp, second: 3 },
    ],
    'up',
  ],
])('%s is the rating, in every order in which its changes arrive', async (_what, changes, rating) => {
  for (const order of ordersOf(changes)) {
    const answer = await answerTo('UANNA');
    for (const change of order) await answer.rate({ ...change, platformUserId: 'UANNA' });
    expect(await answer.rating()).toBe(rating);
  }
});

test('a change that arrives again, or late and alone, changes nothing', async () => {
  const answer = await answerTo('UANNA');
  await answer.rate({ ...noUp, second: 2 });
  await answer.rate({ ...up, second: 1 });
  expect(await answer.rating()).toBeNull();
  await answer.rate({ ...down, second: 3 });
  await answer.rate({ ...down, second: 3 });
  expect(await answer.rating()).toBe('down');
});

test('thumbs of people who did not ask change nothing, however many they are', async () => {
  const answer = await answerTo('UANNA');
  await answer.rate({ ...up, platformUserId: 'UANNA', second: 1 });
  const before = await answer.stored();
  const others = ['UBEFORE', 'UOVERHEARD', 'ULATER', ...Array.from({ length: 200 }, (_, n) => `U${n}`)];
  for (const platformUserId of others) await answer.rate({ ...down, platformUserId, second: 5 });
  await answer.rate({ ...noUp, platformUserId: 'UBEN', second: 6 });
  expect(await answer.stored()).toEqual(before);
});

test('a message of staff is not rated', async () => {
  const answer = await answerTo('UANNA', { staffId: randomUUID() });
  await answer.rate({ ...up, second: 1 });
  expect(await answer.stored()).toEqual({ rating: null, reactions: null });
});

const ordersOf = <Item>(items: readonly Item[]): Item[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
