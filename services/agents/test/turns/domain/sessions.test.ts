import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  startAgents,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});

afterAll(() => services?.close());

/** The sessions of a chat's turns, in order, each as the number of its first turn. */
async function sessionsOf({ conversationId }: Chat): Promise<number[]> {
  const rows = await services.harness.asOwner<{ session_id: string }>(
    'select session_id from agents.turns where conversation_id = $1 order by turn_id',
    [conversationId],
  );
  const sessions = rows.map(({ session_id: session }) => session);
  return sessions.map((session) => sessions.indexOf(session) + 1);
}

async function saySequentially(chat: Chat, texts: readonly string[]): Promise<void> {
  const answered = (await chat.replies()).length;
  for (const [index, text] of texts.entries()) {
    const name = text.startsWith('/') ? text.slice(1) : undefined;
    await chat.say(text, name === undefined ? {} : { command: { name, argument: '' } });
    await chat.answers(answered + index + 1);
  }
}

/** As if so much time had passed since the last message. */
const passes = ({ conversationId }: Chat, time: string) =>
  services.harness.asOwner(
    'update agents.conversations set last_message_at = now() - $2::interval where conversation_id = $1',
    [conversationId, time],
  );

test('a session continues over messages and commands, and is named by its first message', async () => {
  const chat = new Chat(services, bot);
  await saySequentially(chat, ['one', '/help', 'two']);
  expect(await sessionsOf(chat)).toEqual([1, 1, 1]);
  const [first] = await services.harness.asOwner(
    `select 1 from agents.messages m join agents.turns t on t.session_id = m.message_id
     where m.conversation_id = $1 and m.seq = 1 and m.direction = 'in'`,
    [chat.conversationId],
  );
  expect(first).toBeDefined();
});

test('the first message after /new begins a session', async () => {
  const chat = new Chat(services, bot);
  await saySequentially(chat, ['one', '/new', 'two', 'three']);
  expect(await sessionsOf(chat)).toEqual([1, 1, 3, 3]);
});

test('the first message after 24 hours of silence begins a session, and an earlier one does not', async () => {
  const chat = new Chat(services, bot);
  await saySequentially(chat, ['one']);
  await passes(chat, '23 hours 59 minutes');
  await saySequentially(chat, ['two']);
  await passes(chat, '24 hours 1 minute');
  await saySequentially(chat, ['three', 'four']);
  expect(await sessionsOf(chat)).toEqual([1, 1, 3, 3]);
});

test('sessions survive a change of the instance that answers', async () => {
  const chat = new Chat(services, bot);
  await saySequentially(chat, ['one']);
  await services.agents.stop();
  services.agents = await startAgents(services);
  await saySequentially(chat, ['two']);
  expect(await sessionsOf(chat)).toEqual([1, 1]);
});

test('a turn, its reply and its use name the version of the agent that answered', async () => {
  const other = await createBot(services, services.acme);
  const [agentId] = other.agentIds;
  const chat = new Chat(services, other);
  await saySequentially(chat, ['one']);
  const body = { instructions: 'Help shortly.' };
  await services.agents.call('PUT', `/api/definitions/agents/${agentId}`, { as: services.acme.admin, body });
  await saySequentially(chat, ['two', '/help']);
  await services.harness.settled('usage', 'agents');
  const versionsIn = async (query: string) =>
    (await services.harness.asOwner<{ version: number | null }>(query, [chat.conversationId])).map(
      ({ version }) => version,
    );
  const ofChat = 'where conversation_id = $1';
  const ofTurns = `select agent_version as version from agents.turns ${ofChat} order by turn_id`;
  const ofReplies = `select agent_version as version from agents.messages ${ofChat} and direction = 'out' order by seq`;
  const ofUse = `select agent_version as version from usage.log_entries ${ofChat} order by completed_at, turn_id`;
  expect(await versionsIn(ofTurns)).toEqual([1, 2, null]);
  expect(await versionsIn(ofReplies)).toEqual([1, 2, null]);
  expect(await versionsIn(ofUse)).toEqual([1, 2]);
});
