import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

interface Version {
  version: number;
  restoredFrom: number | null;
}

let services: AgentsServices;

beforeAll(async () => {
  services = await openAgentsServices();
  services.model.replyWith(({ messages }) => {
    const [instructions] = messages;
    return `by ${/version \w+/.exec(JSON.stringify(instructions))?.[0]}`;
  });
});

afterAll(() => services?.close());

const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, as = services.acme.admin) =>
  services.agents.call(method, `/api/definitions/agents/${path}`, { as, ...(body ? { body } : {}) });

/** A bot whose agent has a version one, which becomes the candidate, and a live version two. */
async function createReleased(share: number): Promise<{ bot: TestBot; path: string; releaseId: string }> {
  const bot = await createTwoVersions();
  const path = `${bot.agentIds[0]}/releases`;
  const { status, body } = await call('POST', path, { version: 1, share });
  expect(status).toBe(201);
  return { bot, path, releaseId: body.releaseId };
}

async function createTwoVersions(): Promise<TestBot> {
  const agentId = await createAgent(services, services.acme, { instructions: 'version one' });
  const bot = await createBot(services, services.acme, { agentIds: [agentId] });
  await call('PUT', agentId, { instructions: 'version two' });
  return bot;
}

async function say(chat: Chat, text: string): Promise<string> {
  const answered = (await chat.replies()).length;
  await chat.say(text, text.startsWith('/') ? { command: { name: text.slice(1), argument: '' } } : {});
  return (await chat.answers(answered + 1)).at(-1)!;
}

const versionsOf = async ({ conversationId }: Chat) =>
  (
    await services.harness.asOwner<{ agent_version: number }>(
      'select agent_version from agents.turns where conversation_id = $1 order by turn_id',
      [conversationId],
    )
  ).map((row) => row.agent_version);

test('a session that begins during a release is answered by the candidate throughout, and its turns say so', async () => {
  const { bot } = await createReleased(100);
  const chat = new Chat(services, bot);
  expect([await say(chat, 'hello'), await say(chat, 'and now?')]).toEqual([
    'by version one',
    'by version one',
  ]);
  expect(await versionsOf(chat)).toEqual([1, 1]);
});

test('a session that the live version has answered before stays with it, and the next one takes part', async () => {
  const bot = await createTwoVersions();
  const chat = new Chat(services, bot);
  expect(await say(chat, 'hello')).toBe('by version two');
  await call('POST', `${bot.agentIds[0]}/releases`, { version: 1, share: 100 });
  expect(await say(chat, 'and now?')).toBe('by version two');
  await say(chat, '/new');
  expect(await say(chat, 'hello again')).toBe('by version one');
  expect(await versionsOf(chat)).toEqual([2, 2, null, 1]);
});

test('a session stays with the version of its first answer when the share changes', async () => {
  const { bot, releaseId } = await createReleased(1);
  const chats = Array.from({ length: 8 }, () => new Chat(services, bot));
  const before = await Promise.all(chats.map((chat) => say(chat, 'hello')));
  await services.harness.asOwner('update agents.agent_releases set share = 100 where release_id = $1', [
    releaseId,
  ]);
  const after = await Promise.all(chats.map((chat) => say(chat, 'and now?')));
  expect(after).toEqual(before);
  expect(await say(new Chat(services, bot), 'hello')).toBe('by version one');
});

test('after a withdrawal the next answer of a session is the live version', async () => {
  const { bot, path, releaseId } = await createReleased(100);
  const chat = new Chat(services, bot);
  expect(await say(chat, 'hello')).toBe('by version one');
  const { status, body } = await call('POST', `${path}/${releaseId}/withdraw`, { reason: 'too short' });
  expect([status, body.state, body.share, body.reason]).toEqual([200, 'withdrawn', 0, 'too short']);
  expect(await say(chat, 'and now?')).toBe('by version two');
  await call('POST', path, { version: 1, share: 100 });
  expect(await say(chat, 'and with another release?')).toBe('by version two');
});

test('a promotion makes the content of the candidate a new live version', async () => {
  const { bot, path, releaseId } = await createReleased(5);
  const { status, body } = await call('POST', `${path}/${releaseId}/promote`, {});
  expect([status, body.state, body.share]).toEqual([200, 'promoted', 100]);
  const { body: agent } = await call('GET', bot.agentIds[0]!);
  expect([agent.version, agent.instructions]).toEqual([3, 'version one']);
  expect(await say(new Chat(services, bot), 'hello')).toBe('by version one');
});

test('a draft is released to a share without being live, and promoted', async () => {
  const bot = await createTwoVersions();
  const agentId = bot.agentIds[0]!;
  await call('PUT', `${agentId}/draft`, { base: 2, instructions: 'version drafted' });
  const { status, body } = await call('POST', `${agentId}/releases`, { draft: true, share: 100 });
  expect([status, body.version, body.state]).toEqual([201, 3, 'running']);
  expect((await call('GET', `${agentId}/draft`)).status).toBe(404);
  expect((await call('GET', agentId)).body).toMatchObject({ version: 4, instructions: 'version two' });
  const versions = (await call('GET', `${agentId}/versions`)).body;
  expect(versions.map(({ version, restoredFrom }: Version) => [version, restoredFrom])).toEqual([
    [4, 2],
    [3, null],
    [2, null],
    [1, null],
  ]);
  expect(await say(new Chat(services, bot), 'hello')).toBe('by version drafted');
  await call('POST', `${agentId}/releases/${body.releaseId}/promote`, {});
  expect((await call('GET', agentId)).body).toMatchObject({ version: 5, instructions: 'version drafted' });
});

test('a draft stays as it is when it cannot be released', async () => {
  const { path, bot } = await createReleased(5);
  const agentId = bot.agentIds[0]!;
  const statusOf = async (body: object) => (await call('POST', path, body)).status;
  expect(await statusOf({ draft: true })).toBe(404);
  await call('PUT', `${agentId}/draft`, { base: 2, instructions: 'version drafted' });
  // Another release is running.
  expect(await statusOf({ draft: true })).toBe(409);
  expect(await statusOf({ draft: true, version: 1 })).toBe(400);
  expect(await statusOf({})).toBe(400);
  expect((await call('GET', `${agentId}/draft`)).body).toMatchObject({ instructions: 'version drafted' });
  expect((await call('GET', agentId)).body.version).toBe(2);
  const { releaseId } = (await call('GET', path)).body[0];
  await call('POST', `${path}/${releaseId}/withdraw`, {});
  await call('PUT', agentId, { instructions: 'version of a colleague' });
  expect(await statusOf({ draft: true })).toBe(409);
  expect((await call('GET', `${agentId}/draft`)).body).toMatchObject({ instructions: 'version drafted' });
});

test('a release shows its sessions by version, and each step with the user', async () => {
  const { bot, path, releaseId } = await createReleased(100);
  await Promise.all([1, 2].map(() => say(new Chat(services, bot), 'hello')));
  await call('POST', `${path}/${releaseId}/withdraw`, {});
  const { body } = await call('GET', `${path}/${releaseId}`);
  expect(body.sessions).toEqual({ candidate: 2, live: 0 });
  const userId = expect.any(String);
  expect(body.changes).toMatchObject([
    { kind: 'started', share: 100, userId },
    { kind: 'withdrawn', share: 0, userId },
  ]);
  expect((await call('GET', path)).body).toEqual([body]);
});

test('a release shows what its sessions cost and took on average, without those whose outcomes are open', async () => {
  const { bot, path, releaseId } = await createReleased(50);
  const sides = async () => (await call('GET', `${path}/${releaseId}`)).body.averages;
  const none = { costMicroUsd: null, durationMs: null };
  expect(await sides()).toEqual({ candidate: none, live: none });
  const insert = (isCandidate: boolean, turns: number, durationMs: number, costMicroUsd: number | null) =>
    services.harness.asOwner(
      `with session as (
         insert into agents.release_sessions (tenant_id, release_id, session_id, conversation_id, is_candidate)
         values ($1, $2, gen_random_uuid(), gen_random_uuid(), $3)
         returning session_id, conversation_id
       )
       insert into agents.session_outcomes (tenant_id, session_id, agent_id, conversation_id, bot_id, platform, began_at,
         turns, duration_ms, cost_micro_usd)
       select $1, session_id, $4, conversation_id, gen_random_uuid(), 'messenger', now(), $5, $6, $7 from session`,
      [services.acme.tenantId, releaseId, isCandidate, bot.agentIds[0], turns, durationMs, costMicroUsd],
    );
  await insert(true, 1, 1000, 100);
  await insert(true, 3, 2000, 400);
  await insert(true, 0, 0, null);
  await insert(false, 1, 500, null);
  expect(await sides()).toEqual({
    candidate: { costMicroUsd: 250, durationMs: 1500 },
    live: { costMicroUsd: null, durationMs: 500 },
  });
  expect((await call('GET', `${path}/${releaseId}`)).body.sessions).toEqual({ candidate: 3, live: 1 });
});

test('what cannot be released is refused: the live version, an unknown one, a second release, falling steps', async () => {
  const { path, releaseId } = await createReleased(5);
  const statusOf = async (body: object) => (await call('POST', path, body)).status;
  expect(await statusOf({ version: 2 })).toBe(409);
  expect(await statusOf({ version: 9 })).toBe(404);
  expect(await statusOf({ version: 1 })).toBe(409);
  const steps = [{ share: 5, minimumSessions: 30, minimumHours: 1 }];
  expect(await statusOf({ version: 1, share: 25, steps })).toBe(400);
  expect(await statusOf({ version: 1, share: 0 })).toBe(400);
  await call('POST', `${path}/${releaseId}/withdraw`, {});
  expect((await call('POST', `${path}/${releaseId}/withdraw`, {})).status).toBe(409);
  expect((await call('POST', `${path}/${releaseId}/promote`, {})).status).toBe(409);
});

test('another tenant neither sees nor ends a release, and a member does not start one', async () => {
  const { path, releaseId } = await createReleased(5);
  const { acme, other } = services;
  expect((await call('GET', `${path}/${releaseId}`, undefined, other.admin)).status).toBe(404);
  expect((await call('POST', `${path}/${releaseId}/withdraw`, {}, other.admin)).status).toBe(404);
  expect((await call('POST', path, { version: 1 }, other.admin)).status).toBe(404);
  expect((await call('POST', path, { version: 1 }, acme.member)).status).toBe(403);
});
