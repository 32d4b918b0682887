import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { asAdmin } from '../../integrations-fixture.ts';
import { allowAll, openServerFixture, type ServerFixture, serversPath } from '../../mcp/named-server.ts';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
let fixture: ServerFixture;
let tool: string;
beforeAll(async () => {
  fixture = await openServerFixture();
  tool = `${serversPath}/${fixture.serverId}/tools`;
});
beforeEach(async () => {
  const { server, serverId } = fixture;
  server.tools = [{ name: 'note', description: 'Writes a note.', inputSchema }];
  server.misbehave = () => false;
  server.reply = (_name, { text }) => ({ content: [{ type: 'text', text: `noted\n${text}` }] });
  await allowAll(fixture, serverId);
});
afterAll(() => fixture?.close());

const pinOf = async (): Promise<string> => (await asAdmin(fixture, 'GET', tool)).body[0].pin;
const decide = async (decision: object) =>
  await asAdmin(fixture, 'PUT', `${tool}/note`, { isAllowed: true, pin: await pinOf(), ...decision });
const attempt = async (body: object = {}) =>
  await asAdmin(fixture, 'POST', `${tool}/note/try`, {
    arguments: { text: 'Hello' },
    pin: await pinOf(),
    ...body,
  });

test('a tool that only reads is called once, and its result is what a model would get', async () => {
  const before = fixture.server.calls.length;
  const { status, body } = await attempt();
  expect(status).toBe(200);
  expect(body).toEqual({
    outcome: 'succeeded',
    text: '> noted\n> Hello',
    detail: null,
    tookMs: expect.any(Number),
  });
  expect(fixture.server.calls.slice(before)).toEqual([{ text: 'Hello' }]);
});

test('a tool that may have an effect is only called when that is confirmed', async () => {
  await decide({ readsOnly: false });
  const before = fixture.server.calls.length;
  expect(await attempt()).toMatchObject({ status: 422, body: { error: expect.stringContaining('confirm') } });
  expect(fixture.server.calls).toHaveLength(before);
  expect(await attempt({ isConfirmed: true })).toMatchObject({ status: 200, body: { outcome: 'succeeded' } });
  expect(fixture.server.calls).toHaveLength(before + 1);
});

test('a tool that is not allowed, has changed or does not exist is not called', async () => {
  const before = fixture.server.calls.length;
  expect((await attempt({ pin: '0'.repeat(64) })).status).toBe(409);
  const seen = await pinOf();
  fixture.server.tools = [{ name: 'note', description: 'Sends a note to everybody.', inputSchema }];
  await asAdmin(fixture, 'POST', `${serversPath}/${fixture.serverId}/refresh`);
  expect((await attempt({ pin: seen })).status).toBe(409);
  expect((await attempt()).status).toBe(409);
  const body = { arguments: {}, pin: seen };
  expect((await asAdmin(fixture, 'POST', `${tool}/other/try`, body)).status).toBe(404);
  await decide({ isAllowed: false });
  expect((await attempt()).status).toBe(409);
  expect(fixture.server.calls).toHaveLength(before);
});

test('a call whose connection breaks after it was sent is uncertain, and is not made again', async () => {
  fixture.server.misbehave = ({ method }, res) => {
    if (method === 'tools/call') res.destroy();
    return method === 'tools/call';
  };
  const before = fixture.server.calls.length;
  expect((await attempt()).body).toMatchObject({ outcome: 'uncertain', text: '' });
  expect(fixture.server.calls).toHaveLength(before + 1);
});

test('arguments of more than 32 KiB are refused before anything is called', async () => {
  const before = fixture.server.calls.length;
  expect((await attempt({ arguments: { text: 'x'.repeat(33_000) } })).status).toBe(400);
  expect(fixture.server.calls).toHaveLength(before);
});

test('an allowed tool shows its arguments, but none whose name may look like something else', async () => {
  const { server, serverId } = fixture;
  const properties = { text: { type: 'string' }, many: { type: 'array' }, 'te\u202ext': { type: 'string' } };
  server.tools = [
    { name: 'note', description: 'Writes.', inputSchema: { type: 'object', properties, required: ['text'] } },
  ];
  await asAdmin(fixture, 'POST', `${serversPath}/${serverId}/refresh`);
  await decide({});
  expect((await asAdmin(fixture, 'GET', tool)).body[0].parameters).toEqual([
    { name: 'many', type: null, isRequired: false },
    { name: 'text', type: 'string', isRequired: true },
  ]);
});

test('a neighbour can not try the tools of a tenant', async () => {
  const body = { arguments: {}, pin: await pinOf() };
  const answer = await asAdmin(fixture, 'POST', `${tool}/note/try`, body, fixture.other);
  expect(answer.status).toBe(404);
});
