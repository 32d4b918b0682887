import { typing } from '@botyard/contracts/events/agents';
import { listen } from '@botyard/shared/bus/signals';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Chat, type TestBot } from '../../agents-services.ts';
import { call } from '../../answering/domain/loop/equipped.ts';
import { asAdmin, decide, ended, isAboutApproval, park } from '../../integrations-fixture.ts';
import {
  allowAll,
  botWithServers,
  openServerFixture,
  type ServerFixture,
  serversPath,
} from '../named-server.ts';

let fixture: ServerFixture;
let bot: TestBot;

beforeAll(async () => {
  fixture = await openServerFixture();
  bot = await botWithServers(fixture, [fixture.serverId]);
  await asAdmin(fixture, 'PUT', `${serversPath}/${fixture.serverId}`, { timeoutMs: 50_000 });
});
beforeEach(() => {
  fixture.model.replyWith((request) => {
    if (isAboutApproval(request)) return 'told';
    return request.messages.at(-1)?.role === 'tool' ? 'done' : call('echo', {});
  });
});
afterAll(() => fixture?.close());

test('a turn that the person stops cancels its call at the server, which is uncertain and not made again', async () => {
  const { server, serverId } = fixture;
  server.era = 'legacy';
  await allowAll(fixture, serverId);
  const arrival = Promise.withResolvers<void>();
  server.misbehave = ({ method }) => {
    if (method === 'tools/call') arrival.resolve();
    return method === 'tools/call';
  };
  const chat = new Chat(fixture, bot);
  await chat.say('do it');
  await arrival.promise;
  await chat.say('/stop', { command: { name: 'stop', argument: '' } });
  await eventually('the call is cancelled', () =>
    server.received.some(({ params }) => params?.reason === 'the result is no longer wanted'),
  );
  await chat.isIdle();
  const [newest] = (await asAdmin(fixture, 'GET', '/api/integrations/history')).body;
  expect(newest).toMatchObject({ outcome: 'uncertain' });
  expect(server.calls).toHaveLength(1);
});

test('an approved call that reports progress shows "typing" in its chat, and not for each report', async () => {
  const { server, serverId, harness } = fixture;
  server.era = 'both';
  server.misbehave = () => false;
  await allowAll(fixture, serverId, { readsOnly: false });
  const { chat, ticketId } = await park(fixture, bot);
  const held = Promise.withResolvers<void>();
  server.misbehave = ({ method, params }, res, id) => {
    if (method !== 'tools/call') return false;
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const { progressToken } = Object(params?._meta);
    const send = (message: object) =>
      res.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    for (let progress = 1; progress <= 50; progress += 1)
      send({ method: 'notifications/progress', params: { progressToken, progress } });
    void held.promise.then(() => {
      send({ id, result: { resultType: 'complete', content: [{ type: 'text', text: 'sent' }] } });
      res.end();
    });
    return true;
  };
  const shown: string[] = [];
  const webhooks = await harness.busAs('webhooks');
  listen(webhooks, typing, ({ conversationId }) => shown.push(conversationId));
  await webhooks.live().connection.flush();
  await decide(fixture, ticketId, 'approve');
  await eventually('typing is shown', () => shown.includes(chat.conversationId));
  expect(shown).toHaveLength(1);
  held.resolve();
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'executed' });
});
