import { writeCursor } from '@botyard/contracts/http/page';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createAgent, openAgentsServices } from '../../agents-services.ts';

let services: AgentsServices;

beforeAll(async () => {
  services = await openAgentsServices();
  const { acme, other } = services;
  await createAgent(services, acme, { name: 'Zebra', description: 'Answers 100% of all.' });
  await createAgent(services, acme, { name: 'anna', provider: 'openai', model: 'gpt' });
  await createAgent(services, acme, { name: 'Bea', description: 'As Anna does.' });
  await createAgent(services, other, { name: 'Anna of others' });
});
afterAll(() => services?.close());

const get = (path: string) => services.agents.call('GET', path, { as: services.acme.admin });
const names = async (path: string): Promise<string[]> =>
  (await get(path)).body.map(({ name }: { name: string }) => name);

test.each(['/api/definitions/agents', '/api/agents'])(
  '%s is searched by name and description, narrowed, and sorted page by page',
  async (path) => {
    expect(await names(path)).toEqual(['Bea', 'anna', 'Zebra']);
    expect(await names(`${path}?q=ANNA`)).toEqual(['Bea', 'anna']);
    expect(await names(`${path}?q=0%25`)).toEqual(['Zebra']);
    expect(await names(`${path}?provider=openai`)).toEqual(['anna']);
    expect(await names(`${path}?sort=name`)).toEqual(['anna', 'Bea', 'Zebra']);
    const seen: string[] = [];
    for (let page: string | undefined = `${path}?sort=-name&limit=1`; page; ) {
      const { body, headers } = await get(page);
      seen.push(...body.map(({ name }: { name: string }) => name));
      page = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(['Zebra', 'Bea', 'anna']);
  },
);

test('the most recently changed item comes first when the list is sorted by change', async () => {
  const [{ id }] = (await get('/api/definitions/agents?q=zebra')).body;
  await services.agents.call('PUT', `/api/definitions/agents/${id}`, {
    as: services.acme.admin,
    body: { model: 'other' },
  });
  expect((await names('/api/definitions/agents?sort=-updatedAt'))[0]).toBe('Zebra');
  expect(await names('/api/definitions/agents?model=other')).toEqual(['Zebra']);
});

test.each([
  '/api/definitions/agents?model=%00',
  '/api/definitions/agents?model=a%00b',
  '/api/definitions/agents?q=a%00b',
])('a text that the database can not store is 400: %s', async (path) => {
  expect((await get(path)).status).toBe(400);
});

test('a cursor with a time that the database can not store is 400', async () => {
  const path = '/api/definitions/agents?sort=updatedAt&limit=1';
  const { headers } = await get(path);
  const [, cursor = ''] = /before=([^&>]+)/.exec(headers.get('link') ?? '') ?? [];
  const [sort, filters, , id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const at = (moment: string) => writeCursor(JSON.stringify([sort, filters, moment, id]));
  expect((await get(`${path}&before=${at('0001-01-01T00:00:00Z')}`)).status).toBe(200);
  expect((await get(`${path}&before=${at('0000-01-01T00:00:00Z')}`)).status).toBe(400);
});

test('agents are narrowed by whether they are enabled', async () => {
  const [{ agentId }] = (await get('/api/agents?q=bea')).body;
  await services.agents.call('PATCH', `/api/agents/${agentId}/status`, {
    as: services.acme.admin,
    body: { enabled: false },
  });
  expect(await names('/api/agents?enabled=false')).toEqual(['Bea']);
  expect(await names('/api/agents?enabled=true')).toEqual(['anna', 'Zebra']);
});

test('tools and capabilities are searched and sorted alike', async () => {
  const as = services.acme.admin;
  for (const name of ['Zoo', 'aid'])
    expect(
      (await services.agents.call('POST', '/api/definitions/capabilities', { as, body: { name } })).status,
    ).toBe(201);
  expect(await names('/api/definitions/capabilities?sort=name')).toEqual(['aid', 'Zoo']);
  expect(await names('/api/definitions/capabilities?q=zo')).toEqual(['Zoo']);
  const tools = await names('/api/definitions/tools?sort=name&limit=500');
  expect(tools).toEqual(tools.toSorted((left, right) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1)));
  expect((await get('/api/definitions/tools?kind=none')).status).toBe(400);
});
