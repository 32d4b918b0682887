import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

/** Makes a process that uses all of its memory end soon. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=160' };
const chats = 6;
const messagesPerChat = 4;
/** Long enough for processes to start, and for leases of a dead one to end, on a busy machine. */
const timeoutMs = 600_000;

let system: TestSystem;
let bot: ConnectedBot;
let agents: Process;
let webhooks: Process;
let saidBefore = 0;
let uncertainBefore = 0;
/** The process that is running now. */
const currentWebhooks: Pick<Process, 'call'> = { call: (...request) => webhooks.call(...request) };

beforeAll(async () => {
  system = await TestSystem.open();
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  bot = await system.createBot(agents);
});
afterAll(() => system?.close());

async function sendMessages(): Promise<void> {
  for (let number = saidBefore + 1; number <= saidBefore + messagesPerChat; number++) {
    for (let chat = 1; chat <= chats; chat++) await system.say(currentWebhooks, bot, { chat, number });
  }
  saidBefore += messagesPerChat;
}

/**
 * A message that was being sent to the messenger when its process died may arrive twice, and is marked (P9). A send
 * begins with the commit of its reply's event: at most one per chat.
 */
async function verdict(id: string, { diesAfterCommit = false } = {}) {
  const verdict = await system.verdict();
  printFigures(id, { ...verdict });
  const { uncertain } = verdict;
  expect(verdict).toEqual({ accepted: chats * saidBefore, ...faultless, uncertain });
  expect(uncertain - uncertainBefore).toBeLessThanOrEqual(diesAfterCommit ? chats : 0);
  uncertainBefore = uncertain;
}

/** Has the one process of each service die at this step, and puts others in their place, as the launcher does. */
async function dyingAt(step: string, { action = 'crash', end = { signal: 'SIGKILL' } as object } = {}) {
  await Promise.all([agents.stop(), webhooks.stop()]);
  const failing = await Promise.all([
    system.startAgents({ FAILPOINTS: `agents.${step}:${action}`, ...smallHeap }),
    system.startWebhooks({ FAILPOINTS: `webhooks.${step}:${action}`, ...smallHeap }),
  ]);
  [agents, webhooks] = failing;
  const replaced = Promise.all([
    failing[0].ended.then(async (ended) => {
      expect(ended).toMatchObject(end);
      agents = await system.startAgents();
    }),
    failing[1].ended.then(async (ended) => {
      expect(ended).toMatchObject(end);
      webhooks = await system.startWebhooks();
    }),
  ]);
  return async () => {
    await replaced;
    return failing;
  };
}

describe('each accepted message is answered once and in order, with a process of agents and one of webhooks killed', () => {
  test.each([
    ['F-03: between publishing an event and marking it', 'outbox.before-mark'],
    ['F-04: between the commit of an event and its acknowledgement', 'consumer.before-ack'],
    ['F-05: before the commit of an event', 'consumer.before-commit'],
  ])(
    '%s',
    async (what, step) => {
      const replaced = await dyingAt(step);
      await sendMessages();
      await replaced();
      await system.answered();
      await verdict(what, { diesAfterCommit: step === 'consumer.before-ack' });
    },
    timeoutMs,
  );

  test.each([
    ['F-67: an error that nothing catches', 'uncaught', { code: 1 }],
    ['F-67: a rejection that nothing handles', 'unhandled', { code: 1 }],
    ['F-68: memory that is used up', 'exhaust', { signal: 'SIGABRT' }],
  ])(
    '%s between the commit of an event and its acknowledgement ends the process',
    async (what, action, end) => {
      const replaced = await dyingAt('consumer.before-ack', { action, end });
      await sendMessages();
      const processes = await replaced();
      await system.answered({ timeoutMs: 300_000 });
      await verdict(what, { diesAfterCommit: true });
      if (action === 'exhaust') return;
      for (const { logLines } of processes) {
        const fatal = logLines.filter((line) => line.includes('"level":"fatal"'));
        expect(fatal).toEqual([expect.stringContaining('failpoint')]);
      }
    },
    timeoutMs,
  );
});

test(
  'F-02: agents killed during model calls: another worker continues within 10 s (P7), and each message is answered once',
  async () => {
    const { model } = system;
    model.hang();
    const requestsBefore = model.requests.count;
    await sendMessages();
    await model.requests.waitFor(() => model.requests.count >= requestsBefore + chats);
    // It is idle while the first one holds every conversation.
    const next = await system.startAgents();
    agents.signal('SIGKILL');
    const killedAt = performance.now();
    await model.requests.waitFor(() => model.requests.count >= requestsBefore + 2 * chats);
    const goesOnMs = Math.round(performance.now() - killedAt);
    agents = next;
    model.release();
    await system.answered();
    printFigures('F-02: killed in model calls', { 'goes on after ms': goesOnMs });
    await verdict('F-02: killed in model calls');
    if (process.env.BOTYARD_FAULTS === 'full') expect(goesOnMs).toBeLessThan(10_000);
  },
  timeoutMs,
);
