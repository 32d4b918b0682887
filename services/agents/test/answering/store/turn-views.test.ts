import { randomUUID } from 'node:crypto';
import { botSaved } from '@botyard/contracts/events/tenancy';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { withTenant } from '@botyard/shared/db/database';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getTurnViews } from '../../../src/answering/store/turn-view.ts';
import { enqueueMessages } from '../../../src/intake/store/enqueue.ts';
import { saveBot } from '../../../src/store/bots.ts';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

/** A conversation with a bot of a tenant of its own, in which this waits for an answer. */
async function conversationWith(name: string, ...texts: string[]) {
  const [tenantId, botId, conversationId] = [randomUUID(), randomUUID(), randomUUID()];
  const receivedAt = new Date().toISOString();
  const arrived = texts.map((text, index) => ({
    ...firstSample(messageReceived),
    tenantId,
    botId,
    conversationId,
    seq: index + 1,
    receivedAt,
    text,
  }));
  await withTenant(harness.databaseAs('agents'), [tenantId], async (tx) => {
    await saveBot(tx, { ...firstSample(botSaved), tenantId, botId, name });
    await enqueueMessages(tx, arrived);
  });
  return { tenantId, botId, conversationId };
}

test('each conversation has its own bot and messages, in the requested order, even if it is requested twice', async () => {
  const first = await conversationWith('one', 'a', 'b');
  const second = await conversationWith('two', 'c');
  const unknown = { tenantId: first.tenantId, botId: randomUUID(), conversationId: randomUUID() };
  const tenantIds = [first.tenantId, second.tenantId];
  const views = await withTenant(harness.databaseAs('agents'), tenantIds, (tx) =>
    getTurnViews(tx, [second, first, unknown, first]),
  );
  const seen = views.map(({ bot, queued, nextReplySeq }) => ({
    name: bot?.name,
    texts: queued.map(({ text }) => text),
    nextReplySeq,
  }));
  const one = { name: 'one', texts: ['a', 'b'], nextReplySeq: 1 };
  const none = { name: undefined, texts: [], nextReplySeq: null };
  expect(seen).toEqual([{ name: 'two', texts: ['c'], nextReplySeq: 1 }, one, none, one]);
});

test('a conversation of a tenant that the transaction may not see is read as one that is not there', async () => {
  const own = await conversationWith('own', 'mine');
  const foreign = await conversationWith('foreign', 'theirs');
  const views = await withTenant(harness.databaseAs('agents'), [own.tenantId], (tx) =>
    getTurnViews(tx, [foreign, own]),
  );
  expect(views.map(({ bot }) => bot?.name)).toEqual([undefined, 'own']);
  expect(views.map(({ queued }) => queued.length)).toEqual([0, 1]);
});
