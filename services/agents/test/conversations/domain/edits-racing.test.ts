import { randomUUID } from 'node:crypto';
import { type InboundMessage, messageReceived } from '@botyard/contracts/events/webhooks';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { eventually } from '@botyard/testing/eventually';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyEdit } from '../../../src/conversations/domain/apply-edit.ts';
import { enqueueMessages } from '../../../src/intake/store/enqueue.ts';
import { editOf } from '../../chat-events.ts';

let harness: ServiceHarness;
let database: Database;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
});
afterAll(() => harness?.close());

const sample = firstSample(messageReceived);
const transact = (work: (tx: TenantTx) => Promise<unknown>) => withTenant(database, [sample.tenantId], work);

const untilTransactionWaits = () =>
  eventually('the other one waits', async () => {
    const rows = await harness.asOwner(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });

const textsOf = ({ conversationId }: InboundMessage) =>
  harness.asOwner('select text from agents.messages where conversation_id = $1', [conversationId]);

test.each([
  ['a message whose edit comes before it is committed', true, 1],
  ['a message that comes before its edit is committed', false, 1],
  ['the same in a conversation that there is already: the message first', true, 2],
  ['the same in a conversation that there is already: the edit first', false, 2],
])('%s reads as edited', async (_what, isMessageFirst, seq) => {
  const first: InboundMessage = { ...sample, conversationId: randomUUID(), platformMessageId: 'first' };
  const message = { ...first, seq, platformMessageId: 'typo', text: 'typo' };
  if (seq > 1) await transact((tx) => enqueueMessages(tx, [first]));
  const store = (tx: TenantTx) => enqueueMessages(tx, [message]);
  const edit = (tx: TenantTx) => applyEdit(tx, editOf(message, 'no typo'));
  const [before, after] = isMessageFirst ? [store, edit] : [edit, store];
  let follows: Promise<unknown> = Promise.resolve();
  await transact(async (tx) => {
    await before(tx);
    follows = transact(after);
    follows.catch(() => undefined);
    await untilTransactionWaits();
  });
  await follows;
  expect((await textsOf(message)).at(-1)).toEqual({ text: 'no typo' });
  expect(await harness.asOwner('select from agents.early_edits')).toEqual([]);
});
