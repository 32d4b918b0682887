import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestBot } from '../../agents-services.ts';
import { ask } from '../../answering/domain/loop/equipped.ts';
import { asAdmin, callsTool, decide, ended, park, putRule } from '../../integrations-fixture.ts';
import {
  addServer,
  allowAll,
  botWithServers,
  openServerFixture,
  type ServerFixture,
  serversPath,
} from '../named-server.ts';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const agentsPath = '/api/definitions/agents';
let fixture: ServerFixture;
let bot: TestBot;

beforeAll(async () => {
  fixture = await openServerFixture();
  bot = await botWithServers(fixture, [fixture.serverId]);
});
beforeEach(async () => {
  fixture.server.tools = [
    { name: 'send.note', title: 'Note', description: 'Sends\u202E a note.', inputSchema },
  ];
  await allowAll(fixture, fixture.serverId);
});
afterAll(() => fixture?.close());

const offered = () => fixture.model.requests.all.at(-1)!.tools ?? [];
const agentOf = ({ agentIds }: TestBot) => `${agentsPath}/${agentIds[0]}`;

async function offeredName(): Promise<string> {
  callsTool(fixture, 'none', {});
  await ask(fixture, bot);
  return offered()[0]!.name;
}

test('an agent has the allowed tools of a server that it names, and the trace has both names and the pin', async () => {
  const name = await offeredName();
  expect(offered()).toMatchObject([
    { description: expect.stringMatching(/^Note\nSends\\u202e a note\./), parameters: inputSchema },
  ]);
  expect(name).toMatch(/^send_note_[0-9a-f]{8}$/);
  callsTool(fixture, name, { text: 'Hello' });
  const { reply, turn } = await ask(fixture, bot);
  expect(reply).toContain('> send.note: {"text":"Hello"}');
  const { serverId, toolkit } = fixture;
  const [{ pin }] = (await asAdmin(fixture, 'GET', `${serversPath}/${serverId}/tools`)).body;
  expect(turn.tool_calls).toMatchObject([
    { name, server: { serverId, pin, tool: 'send.note' }, outcome: 'ok' },
  ]);
  const [executed] = (await asAdmin(fixture, 'GET', '/api/integrations/history')).body;
  expect(executed).toMatchObject({ toolkit, pin, name, tool: 'send.note', outcome: 'succeeded' });
});

test('a tool of a named server that changes something runs once it is approved', async () => {
  await allowAll(fixture, fixture.serverId, { readsOnly: false });
  callsTool(fixture, await offeredName(), { text: 'Hello' });
  const before = fixture.server.calls.length;
  const { chat, ticketId } = await park(fixture, bot);
  await decide(fixture, ticketId, 'approve');
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'executed' });
  expect((await chat.answers(2)).at(-1)).toContain('told:');
  expect(fixture.server.calls.slice(before)).toEqual([{ text: 'Hello' }]);
});

test('tools of two servers that share a name are told apart, and each call reaches its own server', async () => {
  const { server, second, serverId } = fixture;
  server.tools = second.tools = [{ name: 'echo', description: 'Repeats a text.', inputSchema }];
  const secondId = await addServer(fixture, { name: 'Second', url: second.url });
  await putRule(fixture, { effect: 'allow', toolkit: `mcp-${secondId}` });
  await allowAll(fixture, serverId);
  await allowAll(fixture, secondId);
  const both = await botWithServers(fixture, [serverId, secondId]);
  callsTool(fixture, 'none', {});
  await ask(fixture, both);
  const names = offered().map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
  for (const [index, name] of names.entries()) {
    callsTool(fixture, name, { text: `to ${index}` });
    await ask(fixture, both);
  }
  expect(server.calls.at(-1)).toEqual({ text: 'to 0' });
  expect(second.calls.at(-1)).toEqual({ text: 'to 1' });
});

test("an unknown server, another tenant's, and a 33rd tool are refused", async () => {
  const { serverId } = fixture;
  const unknown = '019ace00-0000-7000-8000-000000000001';
  const body = { name: 'Clerk', instructions: 'Help.', provider: 'private-llm', model: 'any' };
  const created = await asAdmin(fixture, 'POST', agentsPath, { ...body, serverIds: [serverId, unknown] });
  const issues = [{ path: 'serverIds.1', message: 'is not a server of this tenant' }];
  expect(created).toMatchObject({ status: 422, body: { issues } });
  const ofOther = await asAdmin(
    fixture,
    'POST',
    agentsPath,
    { ...body, serverIds: [serverId] },
    fixture.other,
  );
  expect(ofOther.status).toBe(422);
  const draft = { base: 1, serverIds: [unknown] };
  expect((await asAdmin(fixture, 'PUT', `${agentOf(bot)}/draft`, draft)).status).toBe(422);
  const toolIds: string[] = [];
  for (let count = 0; count < 32; count += 1) {
    const tool = { name: `zone_${count}`, kind: 'current_time', settings: {} };
    toolIds.push((await asAdmin(fixture, 'POST', '/api/definitions/tools', tool)).body.id);
  }
  const full = await asAdmin(fixture, 'PUT', agentOf(bot), { toolIds });
  expect(full).toMatchObject({ status: 400, body: { issues: [{ path: 'serverIds' }] } });
});

test('a server is deleted once no agent names it', async () => {
  const { server } = fixture;
  const serverId = await addServer(fixture, { name: 'Named', url: server.url });
  const named = await botWithServers(fixture, [serverId]);
  const own = `${serversPath}/${serverId}`;
  const refused = await asAdmin(fixture, 'DELETE', own);
  expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('"Clerk"') } });
  expect((await asAdmin(fixture, 'PUT', agentOf(named), { serverIds: [] })).status).toBe(200);
  expect((await asAdmin(fixture, 'DELETE', own)).status).toBe(204);
  expect((await asAdmin(fixture, 'POST', `${agentOf(named)}/versions/1/restore`)).status).toBe(422);
});

test('an agent that is published takes no server into other tenants; a copy at home keeps it', async () => {
  const own = await asAdmin(fixture, 'POST', `${agentOf(bot)}/copy`);
  expect(own).toMatchObject({ status: 201, body: { serverIds: [fixture.serverId] } });
  expect((await asAdmin(fixture, 'POST', `${agentOf(bot)}/publish`)).status).toBe(200);
  const copy = await asAdmin(fixture, 'POST', `${agentOf(bot)}/copy`, undefined, fixture.other);
  expect(copy).toMatchObject({ status: 201, body: { serverIds: [] } });
});

test('without a rule that allows it, a tool of a named server is not called', async () => {
  const name = await offeredName();
  await asAdmin(fixture, 'DELETE', '/api/integrations/access-rules');
  callsTool(fixture, name, { text: 'Hello' });
  const before = fixture.server.calls.length;
  expect((await ask(fixture, bot)).reply).toContain('do not allow it');
  expect(fixture.server.calls).toHaveLength(before);
  await putRule(fixture, { effect: 'allow', toolkit: fixture.toolkit });
});
