import { randomUUID } from 'node:crypto';
import { withPlatform } from '@botyard/shared/db/database';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareVersions } from '../../../src/releases/domain/watch-releases.ts';
import { listRunningReleases } from '../../../src/releases/store/releases.ts';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
} from '../../agents-services.ts';

let services: AgentsServices;

beforeAll(async () => {
  services = await openAgentsServices();
  services.model.replyWith(() => 'yes');
});

afterAll(() => services?.close());

const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  services.agents.call(method, `/api/definitions/agents/${path}`, {
    as: services.acme.admin,
    ...(body ? { body } : {}),
  });

/** An agent with a release of its first version. */
async function createReleased(rules: object[], more: object = {}) {
  const agentId = await createAgent(services, services.acme, { instructions: 'one' });
  await call('PUT', agentId, { instructions: 'two' });
  const { body } = await call('POST', `${agentId}/releases`, { version: 1, share: 50, rules, ...more });
  const read = async () => (await call('GET', `${agentId}/releases/${body.releaseId}`)).body;
  return { agentId, releaseId: body.releaseId as string, read };
}

interface Sessions {
  agentId: string;
  releaseId: string;
  isCandidate: boolean;
  count: number;
  /** Every so many sessions failed. */
  failsEvery: number;
  hoursAgo?: number;
  personId?: string;
}

/** Sessions of one turn each, which began so many hours ago, one every 10 seconds. */
async function insertSessions({ agentId, releaseId, isCandidate, count, failsEvery, ...more }: Sessions) {
  const { hoursAgo = 2, personId = null } = more;
  const offset = isCandidate ? 5 : 0;
  await services.harness.asOwner(
    `with session as (
       select gen_random_uuid() as session_id, gen_random_uuid() as conversation_id, n,
         date_trunc('hour', now() - make_interval(hours => $7)) + make_interval(secs => n * 10 + $8) as began_at
       from generate_series(1, $4) as n
     ), turn as (
       insert into agents.turns (tenant_id, turn_id, conversation_id, message_ids, reply_id, agent_id, session_id,
         outcome, key_source, context_messages, input_tokens, output_tokens, is_estimated, duration_ms, created_at)
       select $1, gen_random_uuid(), conversation_id, '{}', gen_random_uuid(), $3, session_id,
         case when n % $5 = 0 then 'apologized' else 'answered' end, 'none', 0, 0, 0, false, 1, began_at
       from session
     )
     insert into agents.release_sessions
       (tenant_id, release_id, session_id, conversation_id, is_candidate, person_id, began_at)
     select $1, $2, session_id, conversation_id, $6, coalesce($9::uuid, gen_random_uuid()), began_at
     from session`,
    [services.acme.tenantId, releaseId, agentId, count, failsEvery, isCandidate, hoursAgo, offset, personId],
  );
}

const announced: unknown[] = [];
const outbox = {
  emit: async (_tx: unknown, _event: unknown, data: unknown) => announced.push(data),
} as never;
const deps = () => ({ database: services.harness.databaseAs('agents'), log: silent, outbox });
const silent = { warn: () => undefined, info: () => undefined } as never;

async function compareAll(releaseId: string): Promise<void> {
  // A rule counts at most 500 sessions at a time.
  for (let pass = 0; pass < 3; pass += 1)
    await compareVersions(deps(), { tenantId: services.acme.tenantId, releaseId });
}

const failed = [{ outcome: 'failed', worse: 'more' }];

test('a candidate that fails more often is withdrawn, with its numbers as the reason', async () => {
  const { agentId, releaseId, read } = await createReleased(failed);
  await insertSessions({ agentId, releaseId, isCandidate: true, count: 300, failsEvery: 3 });
  await insertSessions({ agentId, releaseId, isCandidate: false, count: 300, failsEvery: 10 });
  await compareAll(releaseId);
  const release = await read();
  expect(release).toMatchObject({ state: 'withdrawn', share: 0 });
  expect(release.reason).toMatch(
    /^more chats have an apology in place of an answer: \d+ of \d+ with the candidate, and \d+ of \d+ with the live/,
  );
  const [{ evidence, withdrawsAt, candidate, live }] = release.evidence;
  expect(evidence).toBeGreaterThanOrEqual(withdrawsAt);
  expect(Math.min(candidate.sessions, live.sessions)).toBeGreaterThanOrEqual(30);
  expect(release.changes.at(-1)).toMatchObject({ kind: 'withdrawn', share: 0, userId: null });
  expect(announced.at(-1)).toMatchObject({
    releaseId,
    state: 'withdrawn',
    share: 0,
    reason: release.reason,
    withdrawnByRule: { agentName: expect.any(String) },
  });
});

test('a candidate that is equal stays, and each session is counted once', async () => {
  const { agentId, releaseId, read } = await createReleased(failed);
  await insertSessions({ agentId, releaseId, isCandidate: true, count: 300, failsEvery: 10 });
  await insertSessions({ agentId, releaseId, isCandidate: false, count: 300, failsEvery: 10 });
  await compareAll(releaseId);
  await compareAll(releaseId);
  const { state, evidence } = await read();
  expect(state).toBe('running');
  expect(evidence[0]).toMatchObject({
    candidate: { sessions: 300, worse: 30 },
    live: { sessions: 300, worse: 30 },
  });
});

test('below 30 finished sessions a side, and before the age of their outcome, nothing is decided', async () => {
  const { agentId, releaseId, read } = await createReleased(failed);
  await insertSessions({ agentId, releaseId, isCandidate: true, count: 29, failsEvery: 1 });
  await insertSessions({ agentId, releaseId, isCandidate: true, count: 100, failsEvery: 1, hoursAgo: 0 });
  await insertSessions({ agentId, releaseId, isCandidate: false, count: 300, failsEvery: 1000 });
  await compareAll(releaseId);
  const { state, evidence } = await read();
  expect([state, evidence[0].candidate.sessions]).toEqual(['running', 29]);
});

test('a step is taken once its sessions have finished and its hours are over, and never without sessions', async () => {
  const steps = [{ share: 80, minimumSessions: 30, minimumHours: 3 }];
  const { agentId, releaseId, read } = await createReleased(failed, { steps });
  const beganHoursAgo = (hours: number) =>
    services.harness.asOwner(
      'update agents.release_changes set created_at = now() - make_interval(mins => $2) where release_id = $1',
      [releaseId, hours * 60],
    );
  await beganHoursAgo(5);
  await compareAll(releaseId);
  expect(await read()).toMatchObject({ share: 50 });
  await insertSessions({ agentId, releaseId, isCandidate: true, count: 30, failsEvery: 1000 });
  await beganHoursAgo(2.9);
  await compareAll(releaseId);
  expect(await read()).toMatchObject({ share: 50 });
  await beganHoursAgo(5);
  await compareAll(releaseId);
  const release = await read();
  expect(release).toMatchObject({ state: 'running', share: 80 });
  expect(release.changes.at(-1)).toMatchObject({ kind: 'raised', share: 80, userId: null });
  expect(announced.at(-1)).toMatchObject({ releaseId, state: 'running', share: 80 });
});

test("a person's sessions count once", async () => {
  const { agentId, releaseId, read } = await createReleased(failed);
  const personId = randomUUID();
  await insertSessions({ agentId, releaseId, isCandidate: true, count: 100, failsEvery: 1, personId });
  await insertSessions({ agentId, releaseId, isCandidate: false, count: 300, failsEvery: 1000 });
  await compareAll(releaseId);
  const { state, evidence } = await read();
  expect([state, evidence[0].candidate.sessions]).toEqual(['running', 1]);
});

test('an agent can be deleted at the moment when its candidate is withdrawn: both end, one after the other', async () => {
  const { agentId, releaseId } = await createReleased(failed);
  await insertSessions({ agentId, releaseId, isCandidate: true, count: 40, failsEvery: 1 });
  await insertSessions({ agentId, releaseId, isCandidate: false, count: 40, failsEvery: 40 });
  const client = await deps().database.pool.connect();
  await client.query('begin; lock table agents.release_sessions in access exclusive mode');
  const waiting = (count: number) =>
    eventually(`${count} wait for a lock`, async () => {
      const rows = await services.harness.asOwner(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length >= count;
    });
  const comparison = compareVersions(deps(), { tenantId: services.acme.tenantId, releaseId });
  await waiting(1);
  const deletion = services.agents.call('DELETE', `/api/definitions/agents/${agentId}`, {
    as: services.acme.admin,
  });
  await waiting(2);
  await client.query('commit');
  client.release();
  await comparison;
  expect(announced.at(-1)).toMatchObject({ releaseId, state: 'withdrawn' });
  expect(await deletion).toMatchObject({ status: 204 });
});

test('a tenant with many releases delays no other one: tenants take turns', async () => {
  for (let release = 0; release < 3; release += 1) await createReleased(failed);
  const as = services.other.admin;
  const agentId = await createAgent(services, services.other, { instructions: 'one' });
  const path = `/api/definitions/agents/${agentId}`;
  await services.agents.call('PUT', path, { as, body: { instructions: 'two' } });
  await services.agents.call('POST', `${path}/releases`, { as, body: { version: 1 } });
  const { database } = deps();
  const running = await withPlatform(database, 'running releases', listRunningReleases);
  const first = running.slice(0, 2).map(({ tenantId }) => tenantId);
  expect(new Set(first)).toEqual(new Set([services.acme.tenantId, services.other.tenantId]));
});

test('through the whole system: a candidate whose model fails is withdrawn by itself', async () => {
  const agentId = await createAgent(services, services.acme, { instructions: 'broken' });
  const bot = await createBot(services, services.acme, { agentIds: [agentId] });
  await call('PUT', agentId, { instructions: 'sound' });
  const { body } = await call('POST', `${agentId}/releases`, { version: 1, share: 50, rules: failed });
  services.model.replyWith(({ messages }) => (JSON.stringify(messages[0]).includes('broken') ? '' : 'yes'));
  const chats = Array.from({ length: 120 }, () => new Chat(services, bot));
  await Promise.all(
    chats.map((chat, index) => chat.say('hello', { sender: { platformUserId: `p${index}`, name: 'P' } })),
  );
  await Promise.all(chats.map((chat) => chat.answers(1)));
  const hour = "date_trunc('hour', now()) - interval '2 hours'";
  await services.harness.asOwner(
    `update agents.turns set created_at = ${hour} + (created_at - date_trunc('hour', created_at)) where agent_id = $1`,
    [agentId],
  );
  await services.harness.asOwner(
    `update agents.release_sessions set began_at = ${hour} + (began_at - date_trunc('hour', began_at)) where release_id = $1`,
    [body.releaseId],
  );
  await eventually('it is withdrawn', async () => {
    const release = (await call('GET', `${agentId}/releases/${body.releaseId}`)).body;
    return release.state === 'withdrawn' && release.share === 0;
  });
});
