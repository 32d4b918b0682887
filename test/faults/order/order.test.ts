import { afterAll, beforeAll, expect, test } from 'vitest';
import { onlyMarkedDuplicates, printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

/** `npm run faults` takes the full size; a merge takes as much as its time allows. */
const isFull = process.env.BOTYARD_FAULTS === 'full';
const [chats, messagesPerChat] = isFull ? [500, 100] : [100, 10];
const chatsPerBot = 10;
const workers = 4;
const timeoutMs = isFull ? 3_000_000 : 600_000;

let system: TestSystem;
let webhooks: Process;
const bots: ConnectedBot[] = [];

beforeAll(async () => {
  system = await TestSystem.open();
  const agents = await Promise.all(Array.from({ length: workers }, () => system.startAgents()));
  webhooks = await system.startWebhooks();
  for (let count = 0; count < chats / chatsPerBot; count++) bots.push(await system.createBot(agents[0]!));
});
afterAll(() => system?.close());

/**
 * Keys of tables of tenants of which scans read many rows. Statements are planned here while the tables are empty, and
 * nothing analyzes them later: a plan that reads all rows of the tenant would go on doing so (decision 66).
 */
const readByTenantAlone = () =>
  system.harness.asOwner(
    `select indexrelname as key, idx_scan as scans, idx_tup_read as entries from pg_stat_user_indexes
     where indexrelname like '%\\_pk' and idx_scan >= 100 and idx_tup_read > idx_scan * $1::int`,
    [(chats * messagesPerChat) / 100],
  );

test(
  `O-01: ${workers} agents processes answer ${chats * messagesPerChat} messages of ${chats} conversations in order, each once (P6)`,
  async () => {
    const startedAt = performance.now();
    // Each person continues without waiting for answers, and many write concurrently.
    const people = Array.from({ length: chats }, (_, index) => index).values();
    const write = async () => {
      for (const index of people) {
        const bot = bots[index % bots.length]!;
        for (let number = 1; number <= messagesPerChat; number++)
          await system.say(webhooks, bot, { chat: 1000 + index, number });
      }
    };
    await Promise.all(Array.from({ length: 16 }, write));
    await system.answered({ timeoutMs: timeoutMs - 20_000 });
    const verdict = await system.verdict();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    printFigures('O-01', { workers, chats, ...verdict, seconds });
    // On a machine so busy that the messenger takes 6 s to answer, a send is uncertain and made again (P9).
    expect(verdict).toMatchObject({ accepted: chats * messagesPerChat, ...onlyMarkedDuplicates });
    const stored = await system.harness.asOwner(
      `select count(*)::int as count, count(distinct conversation_id)::int as chats from agents.messages where direction = 'out'`,
    );
    expect(stored).toEqual([{ count: chats * messagesPerChat, chats }]);
    expect(await readByTenantAlone(), 'indexes whose keys were not looked up whole').toEqual([]);
    expect(system.model.requests.count).toBeLessThanOrEqual(chats * messagesPerChat);
  },
  timeoutMs,
);
