import { randomUUID } from 'node:crypto';
import { maxSets } from '@botyard/contracts/http/evaluations';
import { maxBytesOfSet, maxCases } from '@botyard/contracts/http/evaluations-cases';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createAgent, createBot, openAgentsServices } from '../../agents-services.ts';
import { HandledChat } from '../../takeover/chats.ts';

let services: AgentsServices;
let agentId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  agentId = await createAgent(services, services.acme);
});
afterAll(() => services?.close());

const call = (method: string, path: string, body?: object, as = services.acme.admin) =>
  services.agents.call(method, `/api/evaluations${path}`, { as, ...(body ? { body } : {}) });

const question = { name: 'Hours', messages: [{ role: 'user', text: 'When do you open?' }] };

async function createSet(fields: object = {}): Promise<string> {
  const { status, body, text } = await call('POST', '/sets', { name: 'Orders', agentId, ...fields });
  if (status !== 201) throw new Error(`no set was created: ${status} ${text}`);
  return body.setId;
}

test('a set is created, listed with the number of its cases, changed and deleted with them', async () => {
  const setId = await createSet();
  const { body: made } = await call('POST', `/sets/${setId}/cases`, question);
  expect(made).toMatchObject({ setId, recording: { tools: [], passages: [], now: null }, assertions: [] });
  expect((await call('GET', '/sets')).body).toMatchObject([{ setId, documents: 'recorded', cases: 1 }]);
  const change = { name: 'Parcels', agentId, documents: 'current' };
  expect((await call('PUT', `/sets/${setId}`, change)).body).toMatchObject({ ...change, cases: 1 });
  const { body: changed } = await call('PUT', `/sets/${setId}/cases/${made.caseId}`, {
    ...question,
    assertions: [{ type: 'silent' }],
  });
  expect(changed).toMatchObject({ assertions: [{ type: 'silent' }] });
  const { caseId, createdAt, updatedAt } = changed;
  expect((await call('GET', `/sets/${setId}/cases`)).body).toEqual([
    { caseId, setId, name: 'Hours', messages: 1, assertions: 1, createdAt, updatedAt },
  ]);
  expect((await call('GET', `/sets/${setId}/cases?q=hour`)).body).toMatchObject([{ caseId }]);
  expect((await call('GET', `/sets/${setId}/cases?q=h%25`)).body).toEqual([]);
  expect((await call('DELETE', `/sets/${setId}`)).status).toBe(204);
  expect((await call('GET', `/sets/${setId}/cases/${made.caseId}`)).status).toBe(404);
});

test('an import adds all of its cases, or none', async () => {
  const setId = await createSet();
  const path = `/sets/${setId}/cases`;
  const refused = await call('POST', `${path}/import`, { format: 'csv', text: 'message\nHello\n" "' });
  expect(refused.status).toBe(201);
  const faulty = { format: 'yaml', text: '- { name: a, messages: [{ role: user, text: b }] }\n- {}' };
  expect((await call('POST', `${path}/import`, faulty)).body.issues).toContainEqual({
    path: '1.name',
    message: 'is required, in the case at line 2',
  });
  expect((await call('GET', path)).body).toHaveLength(1);
});

test('a set of another tenant is as absent as one that does not exist, for its cases too', async () => {
  const setId = await createSet();
  const { body: made } = await call('POST', `/sets/${setId}/cases`, question);
  const foreign = services.other.admin;
  for (const path of [`/sets/${setId}`, `/sets/${setId}/cases`, `/sets/${setId}/cases/${made.caseId}`])
    expect((await call('GET', path, undefined, foreign)).status).toBe(404);
  expect((await call('POST', `/sets/${setId}/cases`, question, foreign)).status).toBe(404);
  const importing = { format: 'csv', text: 'message\nHello' };
  expect((await call('POST', `/sets/${setId}/cases/import`, importing, foreign)).status).toBe(404);
  expect((await call('POST', '/sets', { name: 'Foreign', agentId }, foreign)).status).toBe(404);
});

test('a case belongs to its own set alone', async () => {
  const [one, other] = [await createSet(), await createSet()];
  const { body: made } = await call('POST', `/sets/${one}/cases`, question);
  expect((await call('GET', `/sets/${other}/cases/${made.caseId}`)).status).toBe(404);
  expect((await call('DELETE', `/sets/${other}/cases/${made.caseId}`)).status).toBe(404);
  expect((await call('DELETE', `/sets/${one}/cases/${made.caseId}`)).status).toBe(204);
});

test('a case names messages of its own tenant only', async () => {
  const setId = await createSet();
  const chat = await HandledChat.begun(services, await createBot(services, services.other));
  const { body: messages } = await services.agents.call(
    'GET',
    `/api/interactions/chats/${(await chat.shown()).chatId}/messages`,
    { as: services.other.admin },
  );
  for (const messageId of [messages?.[0]?.messageId ?? randomUUID(), randomUUID()]) {
    const refused = await call('POST', `/sets/${setId}/cases`, {
      ...question,
      sourceMessageIds: [messageId],
    });
    expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: 'sourceMessageIds.0' }] } });
  }
});

test('a tenant has no more cases than allowed, however many add some at once, and all are listed and searched', async () => {
  const setId = await createSet();
  const { tenantId } = services.other;
  const foreignSet = (
    await call(
      'POST',
      '/sets',
      { name: 'Full', agentId: await createAgent(services, services.other) },
      services.other.admin,
    )
  ).body.setId;
  await services.harness.asOwner(
    `insert into agents.evaluation_cases (tenant_id, case_id, set_id, name, messages, recording, assertions)
     select $1, gen_random_uuid(), $2, 'Hours', '[]', '{}', '[]' from generate_series(1, $3)`,
    [tenantId, foreignSet, maxCases - 1],
  );
  const add = () => call('POST', `/sets/${foreignSet}/cases`, question, services.other.admin);
  const statuses = (await Promise.all([add(), add(), add()])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, 409, 409]);
  const { body: sets } = await call('GET', '/sets', undefined, services.other.admin);
  expect(sets).toMatchObject([{ cases: maxCases }]);
  const seen = new Set<string>();
  let path: string | undefined = `/api/evaluations/sets/${foreignSet}/cases?limit=500`;
  while (path) {
    const page = await services.agents.call('GET', path, { as: services.other.admin });
    for (const { caseId } of page.body) seen.add(caseId);
    path = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(seen.size).toBe(maxCases);
  const search = (text: string) =>
    call('GET', `/sets/${foreignSet}/cases?limit=1&q=${text}`, undefined, services.other.admin);
  expect((await search('HOURS')).body).toHaveLength(1);
  expect((await search('parcels')).body).toEqual([]);
  expect((await call('POST', `/sets/${setId}/cases`, question)).status).toBe(201);
});

test('the cases of a set have no more bytes than allowed, added or replaced', async () => {
  const setId = await createSet();
  const cases = `/sets/${setId}/cases`;
  const { body: small } = await call('POST', cases, question);
  await services.harness.asOwner(
    `insert into agents.evaluation_cases (tenant_id, case_id, set_id, name, messages, recording, assertions, bytes)
     values ($1, gen_random_uuid(), $2, 'Long', '[]', '{}', '[]', $3)`,
    [services.acme.tenantId, setId, maxBytesOfSet - 1000],
  );
  const long = { ...question, messages: [{ role: 'user', text: 'é'.repeat(500) }] };
  expect((await call('POST', cases, long)).status).toBe(409);
  expect((await call('PUT', `${cases}/${small.caseId}`, long)).status).toBe(409);
  expect((await call('PUT', `${cases}/${small.caseId}`, { ...question, name: 'Hour' })).status).toBe(200);
  expect((await call('POST', `/sets/${await createSet()}/cases`, long)).status).toBe(201);
});

test('a tenant has no more sets than allowed', async () => {
  const { body: sets } = await call('GET', '/sets');
  for (let made = sets.length; made < maxSets; made += 1) await createSet();
  expect((await call('POST', '/sets', { name: 'Orders', agentId })).status).toBe(409);
});
