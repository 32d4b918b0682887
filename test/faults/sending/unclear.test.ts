import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';
import { allSettled, passed, textsOf } from './sends.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const chats = isFull ? 30 : 6;
const faultMs = isFull ? 60_000 : 6000;
const timeoutMs = 600_000;

let system: TestSystem;
let agents: Process;
let webhooks: Process;
let bot: ConnectedBot;
let firstChat = 1000;

beforeAll(async () => {
  system = await TestSystem.open();
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  bot = await system.createBot(agents);
});
beforeEach(() => {
  firstChat += 1000;
});
afterEach(() => system.messenger.clearFaults());
afterAll(() => system?.close(), 60_000);

const sendInAllChats = (number: number) =>
  Promise.all(
    Array.from({ length: chats }, (_, index) =>
      system.say(webhooks, bot, { chat: firstChat + index, number }),
    ),
  );

/** How often the platform has each message that this test's chats were sent. */
function copies(): number[] {
  const counts = new Map<string, number>();
  for (const text of textsOf(system, firstChat)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts.values()];
}

interface Shown {
  messageId: string;
  chatId: string;
  text: string;
  status: string;
  isUncertain?: boolean;
  failure?: string;
}

/** The replies to this test's chats, as an admin sees them. */
async function shownReplies(): Promise<{ listed: Shown[]; single: Shown[]; undelivered: Shown[] }> {
  const get = async <Body>(path: string) => {
    const { status, body } = await agents.call('GET', `/api/interactions${path}`, {
      as: system.people.admin,
    });
    expect(status, path).toBe(200);
    return body as Body;
  };
  const rows = await system.harness.asOwner<{ chat_id: string }>(
    `select chat_id from agents.conversations where (place->>'platformChatId')::bigint between $1 and $1 + 999`,
    [firstChat],
  );
  const listed: Shown[] = [];
  const single: Shown[] = [];
  // Sequentially: an admin who requests everything at once may get a 503.
  for (const { chat_id } of rows)
    listed.push(...(await get<Shown[]>(`/chats/${chat_id}/messages?direction=out`)));
  for (const { messageId } of listed) single.push(await get<Shown>(`/messages/${messageId}`));
  const chatIds = new Set(rows.map(({ chat_id }) => chat_id));
  const all = await get<Shown[]>('/undelivered?limit=100');
  return { listed, single, undelivered: all.filter(({ chatId }) => chatIds.has(chatId)) };
}

test(
  'T-03: a platform that takes each message and breaks the connection off: two copies at most, uncertain wherever it is shown',
  async () => {
    system.messenger.fail('sendMessage', { cut: 'after', times: 100_000 });
    await sendInAllChats(1);
    await allSettled(system, { replies: system.history.verdict().accepted });
    const copiesOfEach = copies();
    const states = (shown: Shown[]) => shown.map(({ status, isUncertain }) => ({ status, isUncertain }));
    const uncertain = Array(chats).fill({ status: 'uncertain', isUncertain: true });
    await eventually(
      'the agents know of it',
      async () => (await shownReplies()).undelivered.length === chats,
    );
    const shown = await shownReplies();
    printFigures('T-03', {
      messages: chats,
      'most copies': Math.max(...copiesOfEach),
      uncertain: shown.undelivered.length,
    });
    expect(copiesOfEach).toHaveLength(chats);
    expect(Math.max(...copiesOfEach)).toBeLessThanOrEqual(2);
    expect(states(shown.listed)).toEqual(uncertain);
    expect(states(shown.single)).toEqual(uncertain);
    expect(shown.undelivered.map(({ status }) => status)).toEqual(Array(chats).fill('uncertain'));
  },
  timeoutMs,
);

test(
  'T-04: a platform that answers after 8 s gets each message once',
  async () => {
    system.messenger.delay('sendMessage', 8000);
    await sendInAllChats(1);
    await allSettled(system, { replies: system.history.verdict().accepted });
    const copiesOfEach = copies();
    printFigures('T-04', { messages: chats, 'most copies': Math.max(...copiesOfEach) });
    expect(copiesOfEach).toEqual(Array(chats).fill(1));
    const states = await eventually('the agents know of it', async () => {
      const { listed } = await shownReplies();
      return listed.every(({ status }) => status !== 'sending') && listed;
    });
    expect(states).toMatchObject(Array(chats).fill({ status: 'sent' }));
    expect(states.filter(({ isUncertain }) => isUncertain)).toEqual([]);
  },
  timeoutMs,
);

test.each([
  ['a page', { status: 200, body: '<html>Sign in</html>' }],
  [
    'its own errors',
    { status: 500, body: { ok: false, error_code: 500, description: 'Internal Server Error' } },
  ],
  ['errors without a code', { status: 200, body: { ok: false } }],
])(
  `T-05: a platform that answers with %s for ${faultMs / 1000} s gets each message once, when it takes messages again`,
  async (what, fault) => {
    system.messenger.fail('sendMessage', { ...fault, times: 100_000 });
    await sendInAllChats(1);
    await passed(faultMs);
    expect(copies()).toEqual([]);
    system.messenger.clearFaults();
    await allSettled(system, { replies: system.history.verdict().accepted });
    const copiesOfEach = copies();
    printFigures('T-05', { what, messages: copiesOfEach.length, 'most copies': Math.max(...copiesOfEach) });
    expect(copiesOfEach).toEqual(Array(chats).fill(1));
    expect((await shownReplies()).undelivered).toEqual([]);
  },
  timeoutMs,
);

test(
  'T-05: a message that could not be sent while it was useful is reported as failed, with the reason',
  async () => {
    system.messenger.failNext('sendMessage', {
      status: 500,
      description: 'Internal Server Error',
      times: 100_000,
    });
    await sendInAllChats(1);
    const mine = [firstChat];
    await eventually('each was tried', async () => {
      const rows = await system.harness.asOwner<{ tried: number }>(
        `select count(*)::int as tried from webhooks.parts
           where platform_chat_id::bigint between $1 and $1 + 999 and attempts > 0`,
        mine,
      );
      return rows[0]!.tried === chats;
    });
    // As after the minutes that the bot is set to, of which there are sixty.
    await system.harness.asOwner(
      `update webhooks.replies r set answer_until = now(), created_at = now() - interval '1 minute' from webhooks.parts p
       where p.reply_id = r.reply_id and p.platform_chat_id::bigint between $1 and $1 + 999`,
      mine,
    );
    await eventually('an admin is told', async () => (await shownReplies()).undelivered.length === chats);
    const { listed, single, undelivered } = await shownReplies();
    const failed = { status: 'failed', failure: 'Internal Server Error' };
    printFigures('T-05', { 'told as failed': undelivered.length, copies: copies().length });
    expect(listed).toMatchObject(Array(chats).fill(failed));
    expect(single).toMatchObject(Array(chats).fill(failed));
    expect(copies()).toEqual([]);
  },
  timeoutMs,
);
