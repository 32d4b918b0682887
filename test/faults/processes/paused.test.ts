import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

/** A pause has to outlast the lease, which is 6 s for a conversation and 8 s for a chat; the full size is a minute. */
const pauseMs = process.env.BOTYARD_FAULTS === 'full' ? 60_000 : 0;
const timeoutMs = 600_000;

let system: TestSystem;
let agents: Process;
let webhooks: Process;
let bot: ConnectedBot;
let chat = 900;

beforeAll(async () => {
  system = await TestSystem.open();
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  bot = await system.createBot(agents);
});
beforeEach(() => {
  chat += 1;
});
afterAll(() => system?.close());

const sleptFor = (sinceMs: number) =>
  eventually('the pause is over', () => performance.now() - sinceMs >= pauseMs, { timeoutMs: timeoutMs });
const logged = ({ logLines }: Process, words: string) =>
  eventually(`"${words}" is logged`, () => logLines.some((line) => line.includes(words)));

test(
  'F-25: a worker that is paused in a model call and resumed writes nothing: its successor has answered, once',
  async () => {
    const { model } = system;
    model.hang();
    const requestsBefore = model.requests.count;
    await system.say(webhooks, bot, { chat, number: 1 });
    await model.requests.waitFor(() => model.requests.count > requestsBefore);
    agents.signal('SIGSTOP');
    const pausedAt = performance.now();
    const other = await system.startAgents();
    await model.requests.waitFor(() => model.requests.count > requestsBefore + 1);
    // Both calls are answered; the late one is read when its worker wakes.
    model.release();
    await system.answered();
    await sleptFor(pausedAt);
    agents.signal('SIGCONT');
    await logged(agents, 'another worker has');
    // It works on as if nothing had been, once the other one is gone.
    await other.stop();
    await system.say(webhooks, bot, { chat, number: 2 });
    await system.answered();
    const replies = await system.harness.asOwner(
      `select text from agents.messages m join agents.conversations c using (conversation_id)
       where direction = 'out' and place->>'platformChatId' = $1 order by m.seq`,
      [String(chat)],
    );
    const verdict = await system.verdict();
    printFigures('F-25 write', { ...verdict, 'replies stored': replies.length });
    // A line in brackets reaches the model escaped, because such lines are the service's remarks.
    expect(replies).toEqual([{ text: `re: \\[${chat}#1]` }, { text: `re: \\[${chat}#2]` }]);
    expect(verdict).toMatchObject(faultless);
  },
  timeoutMs,
);

test(
  'F-25: a worker that is paused before a send and resumed sends nothing: its successor has sent it, once, as uncertain (P9)',
  async () => {
    // A message waits for the "typing" before it: there its worker is paused, with the part begun and not sent.
    const releaseSends = system.messenger.hold('sendChatAction');
    system.model.hang();
    await system.say(webhooks, bot, { chat, number: 1 });
    await system.messenger.calls.waitFor(
      ({ operation, params }) => operation === 'sendChatAction' && String(params.chat_id) === String(chat),
    );
    system.model.release();
    await eventually('the part is begun', async () => {
      const rows = await system.harness.asOwner(
        `select from webhooks.parts where platform_chat_id = $1 and state = 'sending'`,
        [String(chat)],
      );
      return rows.length === 1;
    });
    webhooks.signal('SIGSTOP');
    releaseSends();
    const pausedAt = performance.now();
    expect(system.history.verdict().lost).toBe(1);
    const other = await system.startWebhooks();
    await system.answered();
    await sleptFor(pausedAt);
    webhooks.signal('SIGCONT');
    await logged(webhooks, 'a chat was taken over by another worker');
    await other.stop();
    system.messenger.clearFaults();
    await system.say(webhooks, bot, { chat, number: 2 });
    await system.answered();
    const verdict = await system.verdict();
    printFigures('F-25 send', verdict);
    expect(verdict).toMatchObject({ ...faultless, uncertain: 1 });
  },
  timeoutMs,
);
