import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { faultless, tell } from '../rig/history.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

/** A pause has to outlast the lease, which is 6 s for a conversation and 8 s for a chat; the full size is a minute. */
const pauseMs = process.env.BOTYARD_FAULTS === 'full' ? 60_000 : 0;
const timeoutMs = 600_000;

let town: Town;
let agents: Process;
let webhooks: Process;
let bot: TownBot;
let chat = 900;

beforeAll(async () => {
  town = await Town.open();
  [agents, webhooks] = await Promise.all([town.startAgents(), town.startWebhooks()]);
  bot = await town.createBot(agents);
});
beforeEach(() => {
  chat += 1;
});
afterAll(() => town?.close());

const sleptFor = (sinceMs: number) =>
  eventually('the pause is over', () => performance.now() - sinceMs >= pauseMs, { timeoutMs: timeoutMs });
const logged = ({ logLines }: Process, words: string) =>
  eventually(`"${words}" is logged`, () => logLines.some((line) => line.includes(words)));

test(
  'F-25: a worker that is paused in a model call and resumed writes nothing: its successor has answered, once',
  async () => {
    const { model } = town;
    model.hang();
    const asked = model.requests.count;
    await town.say(webhooks, bot, { chat, number: 1 });
    await model.requests.waitFor(() => model.requests.count > asked);
    agents.signal('SIGSTOP');
    const pausedAt = performance.now();
    const other = await town.startAgents();
    await model.requests.waitFor(() => model.requests.count > asked + 1);
    // Both calls are answered; the late one is read when its worker wakes.
    model.release();
    await town.answered();
    await sleptFor(pausedAt);
    agents.signal('SIGCONT');
    await logged(agents, 'another worker has');
    // It works on as if nothing had been, once the other one is gone.
    await other.stop();
    await town.say(webhooks, bot, { chat, number: 2 });
    await town.answered();
    const replies = await town.harness.asOwner(
      `select text from agents.messages m join agents.conversations c using (conversation_id)
       where direction = 'out' and place->>'platformChatId' = $1 order by m.seq`,
      [String(chat)],
    );
    const verdict = await town.verdict();
    tell('F-25 write', { ...verdict, 'replies stored': replies.length });
    expect(replies).toEqual([{ text: `re: [${chat}#1]` }, { text: `re: [${chat}#2]` }]);
    expect(verdict).toMatchObject(faultless);
  },
  timeoutMs,
);

test(
  'F-25: a worker that is paused before a send and resumed sends nothing: its successor has sent it, once, as uncertain (P9)',
  async () => {
    // A message waits for the "typing" before it: there its worker is paused, with the part begun and not sent.
    const goOn = town.messenger.hold('sendChatAction');
    town.model.hang();
    await town.say(webhooks, bot, { chat, number: 1 });
    await town.messenger.calls.waitFor(
      ({ operation, params }) => operation === 'sendChatAction' && String(params.chat_id) === String(chat),
    );
    town.model.release();
    await eventually('the part is begun', async () => {
      const rows = await town.harness.asOwner(
        `select from webhooks.parts where platform_chat_id = $1 and state = 'sending'`,
        [String(chat)],
      );
      return rows.length === 1;
    });
    webhooks.signal('SIGSTOP');
    goOn();
    const pausedAt = performance.now();
    expect(town.history.verdict().lost).toBe(1);
    const other = await town.startWebhooks();
    await town.answered();
    await sleptFor(pausedAt);
    webhooks.signal('SIGCONT');
    await logged(webhooks, 'a chat was taken over by another worker');
    await other.stop();
    town.messenger.clearFaults();
    await town.say(webhooks, bot, { chat, number: 2 });
    await town.answered();
    const verdict = await town.verdict();
    tell('F-25 send', verdict);
    expect(verdict).toMatchObject({ ...faultless, uncertain: 1 });
  },
  timeoutMs,
);
