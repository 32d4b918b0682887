import { randomUUID } from 'node:crypto';
import { withTenant } from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deadLetterMissing, listMissing } from '../../../src/intake/store/missing.ts';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

const newConversation = () => ({ tenantId: randomUUID(), conversationId: randomUUID() });
type Conversation = ReturnType<typeof newConversation>;

async function put({ tenantId, conversationId }: Conversation, seq: number, status: string) {
  await harness.asOwner(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
     values ($1, $2, $3, 'in', $4, '', 'text', $5, now())`,
    [tenantId, randomUUID(), conversationId, seq, status],
  );
}

const missing = (at: Conversation, before: number, limit = 100): Promise<number[]> =>
  withTenant(harness.databaseAs('agents'), [at.tenantId], (tx) =>
    listMissing(tx, at, { from: 1, before, limit }),
  );

test('a message that was settled without a turn is not missing', async () => {
  const at = newConversation();
  for (const seq of [1, 2]) await put(at, seq, 'ignored');
  expect(await missing(at, 3)).toEqual([]);
});

test('an absent message is missing, and so are later waiting ones: nothing is answered before it', async () => {
  const at = newConversation();
  await put(at, 1, 'ignored');
  expect(await missing(at, 4)).toEqual([2, 3]);
  await put(at, 2, 'queued');
  expect(await missing(at, 4)).toEqual([2, 3]);
  expect(await missing(at, 1_000_000, 3)).toHaveLength(3);
});

test('a dropped message is settled, and existing ones are not changed', async () => {
  const at = newConversation();
  await put(at, 1, 'queued');
  await withTenant(harness.databaseAs('agents'), [at.tenantId], (tx) =>
    deadLetterMissing(tx, at, [1, 2, 3], 'lost'),
  );
  expect(await missing(at, 4)).toEqual([1]);
  const rows = await harness.asOwner(
    'select seq::int, status, last_error from agents.messages where conversation_id = $1 order by seq',
    [at.conversationId],
  );
  expect(rows).toEqual([
    { seq: 1, status: 'queued', last_error: null },
    { seq: 2, status: 'dead', last_error: 'lost' },
    { seq: 3, status: 'dead', last_error: 'lost' },
  ]);
});
