import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';
import { allSettled, passed, textsOf } from './sends.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
/** Longer than a process counts as alive that writes nothing. */
const awayMs = isFull ? 15_000 : 10_000;
const chats = isFull ? 60 : 12;
const timeoutMs = 600_000;

let postgres: OwnPostgres;
let system: TestSystem;
let folder: string;
let webhooks: Process[];
let bot: ConnectedBot;
let firstChat = 1000;

const start = () => system.startWebhooks({ DATA_DIR: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-sends-'));
  postgres = await OwnPostgres.start();
  system = await TestSystem.open({ postgresUrl: postgres.url });
  const agents = await system.startAgents();
  webhooks = await Promise.all([start(), start()]);
  bot = await system.createBot(agents);
});
beforeEach(() => {
  firstChat += 1000;
  system.messenger.clearFaults();
});
afterAll(async () => {
  await system?.close();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const sends = () => system.messenger.calls.filter(({ operation }) => operation === 'sendMessage').length;

async function sendInAllChats(number: number): Promise<void> {
  const said = Array.from({ length: chats }, (_, index) =>
    system.say(webhooks[index % webhooks.length]!, bot, { chat: firstChat + index, number }),
  );
  await Promise.all(said);
}

/** Resolves while an answer to each person is on its way to the slow platform. */
async function sendsInFlight(takesMs = 3000): Promise<void> {
  const before = sends();
  system.messenger.delay('sendMessage', takesMs);
  await sendInAllChats(1);
  await eventually('all sends are under way', () => sends() - before >= chats);
}

/** Every message so far is answered, whatever happened to it, and so is the next one. */
async function allAnswered(): Promise<void> {
  await system.answered();
  system.messenger.clearFaults();
  await sendInAllChats(2);
  await system.answered();
  await allSettled(system);
}

test.each([
  ['end meanwhile', 3000],
  ['last longer', awayMs + 4000],
])(
  `T-01: Postgres is unreachable for ${awayMs / 1000} s during sends that %s: none is repeated, none is lost`,
  async (what, takesMs) => {
    await sendsInFlight(takesMs);
    await postgres.kill();
    await passed(awayMs);
    await postgres.startAgain();
    await allAnswered();
    const verdict = await system.verdict();
    printFigures('T-01', { what, ...verdict, 'away ms': awayMs, 'under way': chats });
    expect(verdict).toMatchObject(faultless);
  },
  timeoutMs,
);

test(
  'T-02: the table of the outbox is locked during sends: none is repeated, and chats continue',
  async () => {
    await sendsInFlight();
    const blocker = await system.harness.databaseAs('webhooks').pool.connect();
    await blocker.query(
      'set idle_in_transaction_session_timeout = 0; begin; lock table webhooks.outbox in access exclusive mode',
    );
    await passed(awayMs);
    const written = await eventually('what became of all sends is written', async () => {
      const rows = await system.harness.asOwner(
        `select from webhooks.parts where state = 'sent' and platform_chat_id::bigint >= $1`,
        [firstChat],
      );
      return rows.length >= chats && rows.length;
    });
    await blocker.query('rollback');
    blocker.release();
    await allAnswered();
    const verdict = await system.verdict();
    printFigures('T-02', { ...verdict, 'locked ms': awayMs, 'written meanwhile': written });
    expect(written).toBe(chats);
    expect(verdict).toMatchObject(faultless);
  },
  timeoutMs,
);

test(
  'T-06: a process that ends while Postgres is down hands over its outcomes: nothing is sent again',
  async () => {
    await sendsInFlight();
    await postgres.kill();
    await eventually('the platform has all of them', () => textsOf(system, firstChat).length === chats);
    const stopping = webhooks.map((process) => process.stop());
    await Promise.all(stopping);
    await postgres.startAgain();
    webhooks = await Promise.all([start(), start()]);
    await allAnswered();
    const verdict = await system.verdict();
    printFigures('T-06', { ...verdict, 'handed on': chats });
    expect(verdict).toMatchObject(faultless);
  },
  timeoutMs,
);
