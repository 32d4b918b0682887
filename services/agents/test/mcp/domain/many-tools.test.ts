import type { ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestBot } from '../../agents-services.ts';
import { ask, call } from '../../answering/domain/loop/equipped.ts';
import { toolsOfOffice } from '../../answering/domain/tool-catalogue.ts';
import { asAdmin } from '../../integrations-fixture.ts';
import { botWithServers, openServerFixture, type ServerFixture, serversPath } from '../named-server.ts';

let fixture: ServerFixture;
let bot: TestBot;

beforeAll(async () => {
  fixture = await openServerFixture();
  bot = await botWithServers(fixture, [fixture.serverId]);
});
afterAll(() => fixture?.close());

/** The server lists these tools of the catalogue, and an admin allows all of them. */
async function listTools(tools: typeof toolsOfOffice): Promise<void> {
  fixture.server.tools = tools.map(({ offered: { name, description, parameters } }) => ({
    name,
    description,
    inputSchema: parameters as Record<string, unknown>,
  }));
  await asAdmin(fixture, 'POST', `${serversPath}/${fixture.serverId}/refresh`);
  await fixture.harness.asOwner(
    `update agents.server_tools set is_allowed = true, reads_only = true, decided_pin = pin,
       decided_definition = definition where server_id = $1`,
    [fixture.serverId],
  );
}

/** Searches if there is a search, calls the tool for refunds, and answers. */
function answer(request: ModelRequest) {
  const names = (request.tools ?? []).map(({ name }) => name);
  if (request.messages.some(({ role }) => role === 'tool') && !names.includes('refund_payment'))
    return 'not found';
  const hasCalled = fixture.server.calls.length > 0;
  if (hasCalled) return 'refunded';
  if (names.includes('refund_payment')) return call('refund_payment', { reference: '42' });
  return call('find_tools', { query: 'refund a payment' });
}

/** The bytes of everything that the model was sent in a turn, and what it was told. */
async function turnInput(): Promise<{ bytes: number; reply: string; names: string[] }> {
  fixture.server.received.length = 0;
  fixture.model.replyWith(answer);
  const before = fixture.model.requests.all.length;
  const { reply, turn } = await ask(fixture, bot, 'I want my money back');
  const requests = fixture.model.requests.all.slice(before);
  const bytes = requests.map(({ messages, tools }) => JSON.stringify({ messages, tools }).length);
  return {
    bytes: bytes.reduce((all, one) => all + one, 0),
    reply,
    names: turn.tool_calls.map(({ name }) => name),
  };
}

test('with 200 tools a turn finds the right one, and its input is at most twice that with ten', async () => {
  const refund = toolsOfOffice.filter(({ offered }) => offered.name === 'refund_payment');
  await listTools([...refund, ...toolsOfOffice.slice(0, 9)]);
  const ofTen = await turnInput();
  expect(ofTen).toMatchObject({ reply: 'refunded', names: ['refund_payment'] });
  await listTools(toolsOfOffice);
  const ofAll = await turnInput();
  expect(ofAll).toMatchObject({ reply: 'refunded', names: ['find_tools', 'refund_payment'] });
  expect(ofAll.bytes).toBeLessThanOrEqual(2 * ofTen.bytes);
});
