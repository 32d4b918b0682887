import { randomUUID } from 'node:crypto';
import { withTenant } from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/shared/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAllSettledBefore } from '../../../../src/store/retention/erasure/places.ts';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

const position = () => ({ tenantId: randomUUID(), conversationId: randomUUID(), nextSeq: 1 });

async function put({ tenantId, conversationId }: ReturnType<typeof position>, seq: number, status: string) {
  await harness.asOwner(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
     values ($1, $2, $3, 'in', $4, '', 'text', $5, now())`,
    [tenantId, randomUUID(), conversationId, seq, status],
  );
}

const isSettled = (at: ReturnType<typeof position>, seq: number): Promise<boolean> =>
  withTenant(harness.databaseAs('agents'), [at.tenantId], (tx) => isAllSettledBefore(tx, at, seq));

test('what was settled without a turn is no gap', async () => {
  const at = position();
  for (const seq of [1, 2]) await put(at, seq, 'ignored');
  expect(await isSettled(at, 3)).toBe(true);
});

test('what is missing is a gap, and so is what came since and waits: nothing is answered before it', async () => {
  const at = position();
  await put(at, 1, 'ignored');
  expect(await isSettled(at, 3)).toBe(false);
  await put(at, 2, 'queued');
  expect(await isSettled(at, 3)).toBe(false);
});
