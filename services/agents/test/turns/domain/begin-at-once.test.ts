import { randomUUID } from 'node:crypto';
import { type InboundMessage, messageReceived } from '@botyard/contracts/events/webhooks';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { saveBot } from '../../../src/store/bots.ts';
import {
  createImmediateTurns,
  type ImmediateTurns,
  type TurnToRun,
  takeIn,
} from '../../../src/turns/domain/begin-at-once.ts';

let harness: ServiceHarness;
let database: Database;
const [tenantId, botId] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
});

afterAll(() => harness?.close());

let begun: TurnToRun[];
let givenBack: number;
let wakes: number;
let hasRoom: boolean;
let immediateTurns: ImmediateTurns;

beforeEach(async () => {
  [begun, givenBack, wakes, hasRoom] = [[], 0, 0, true];
  const room = {
    run: (turn: TurnToRun) => {
      begun.push(turn);
    },
    giveBack: () => {
      givenBack += 1;
    },
  };
  immediateTurns = createImmediateTurns(() => (hasRoom ? room : undefined));
  await harness.asOwner('truncate agents.conversations, agents.messages, agents.bots');
  const bot = { tenantId, botId, name: 'B', agentIds: [], isEnabled: true, joinWindowMs: 0, revision: 1 };
  await withTenant(database, [tenantId], (tx) => saveBot(tx, bot));
});

const message = (text: string, conversationId: string = randomUUID(), seq = 1): InboundMessage => ({
  ...firstSample(messageReceived),
  tenantId,
  botId,
  conversationId,
  seq,
  text,
  receivedAt: new Date().toISOString(),
});

const arrive = (
  messages: InboundMessage[],
  also: (tx: TenantTx) => Promise<unknown> = async () => undefined,
) =>
  withTenant(database, [tenantId], async (tx) => {
    const wakeWorker = () => {
      wakes += 1;
    };
    await takeIn({ immediateTurns, wakeWorker }, tx, messages);
    await also(tx);
  });

test('after its first message a bot that does not join begins each turn with the commit of its message', async () => {
  await arrive([message('one')]);
  expect([begun, wakes]).toEqual([[], 1]);
  const [second, third] = [message('two'), message('three')];
  await arrive([second, third]);
  const texts = begun.map(({ conversationId, view }) => [
    conversationId,
    view?.queued.map(({ text }) => text),
  ]);
  expect(new Map(texts as [string, string[]][])).toEqual(
    new Map([
      [second.conversationId, ['two']],
      [third.conversationId, ['three']],
    ]),
  );
  expect(begun[0]!.view?.bot).toMatchObject({ botId });
  expect([givenBack, wakes]).toEqual([0, 1]);
});

test('a conversation that is being answered keeps its holder, and the room is given back', async () => {
  const held = message('one');
  await arrive([message('zero')]);
  await arrive([held]);
  await arrive([message('two', held.conversationId, 2)]);
  expect(begun).toHaveLength(1);
  expect([givenBack, wakes]).toEqual([1, 2]);
});

test('if the process has no room, the conversation waits for the next claim', async () => {
  await arrive([message('zero')]);
  hasRoom = false;
  await arrive([message('one')]);
  expect([begun, wakes]).toEqual([[], 2]);
});

test('a transaction that fails begins no turn, and the next try goes without', async () => {
  await arrive([message('zero')]);
  const one = message('one');
  const failing = arrive([one], (tx) => tx.query({ name: 'test.fail', text: 'select 1 / 0', values: [] }));
  await expect(failing).rejects.toThrow('division by zero');
  expect([begun, givenBack]).toEqual([[], 1]);
  await arrive([one]);
  expect([begun, givenBack, wakes]).toEqual([[], 1, 2]);
});
