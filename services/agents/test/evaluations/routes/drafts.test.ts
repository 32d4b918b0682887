import { randomInt, randomUUID } from 'node:crypto';
import { erasePerson } from '@botyard/contracts/events/agents-requests';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chat } from '../../agents-services.ts';
import { call } from '../../answering/domain/loop/equipped.ts';
import { RecordedSite } from '../../recordings/recorded-chat.ts';

let site: RecordedSite;
beforeAll(async () => {
  site = await RecordedSite.open();
});
afterAll(() => site?.close());

const request = (method: string, path: string, body?: object, as = site.services.acme.admin) =>
  site.services.agents.call(method, `/api/evaluations${path}`, { as, ...(body ? { body } : {}) });

const draft = (source: object, as = site.services.acme.admin) => request('POST', '/drafts', source, as);

interface Answered {
  chat: Chat;
  source: { chatId: string; messageId: string };
}

const sender = { platformUserId: String(randomInt(1e9)), name: 'Anna Keller' };
const place = { platformChatId: sender.platformUserId, kind: 'private', title: 'Anna Keller' } as const;

/** A chat of two answers. For the second one, the page was read and the documents were searched. */
async function answeredChat(): Promise<Answered> {
  site.page = JSON.stringify({ order: 1234567, buyer: 'Anna Keller' });
  site.services.model.replyInTurn(
    'Hello Anna.',
    call('read_page', { url: `${site.origin}/orders/1234567` }),
    call('search', { query: 'Bergen' }),
    'Order 1234567 takes three days.',
  );
  const chat = new Chat(site.services, site.bot);
  await chat.say('Hi, I am Anna', { sender, chat: place });
  await chat.answers(1);
  await chat.say('Where is order 1234567? anna@keller.example', { sender, chat: place });
  await chat.answers(2);
  await chat.isIdle();
  const [row] = await site.services.harness.asOwner<{ chat_id: string }>(
    'select chat_id from agents.conversations where conversation_id = $1',
    [chat.conversationId],
  );
  const replies = await chat.replies();
  return { chat, source: { chatId: row!.chat_id, messageId: replies.at(-1)!.message_id } };
}

test('a draft has the session until the answer and what was used, with placeholders for personal data', async () => {
  const { chat, source } = await answeredChat();
  await chat.say('thanks', { sender, chat: place });
  await chat.answers(3);
  const { status, body } = await draft(source);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      agentId: site.bot.agentIds[0],
      answer: 'Order 1000001 takes three days.',
      name: 'Where is order 1000001? person-2@example.com',
      messages: [
        { role: 'user', text: 'Hi, I am Person 1' },
        { role: 'assistant', text: 'Hello Person 1.' },
        { role: 'user', text: 'Where is order 1000001? person-2@example.com' },
      ],
      recording: {
        tools: [
          {
            name: 'read_page',
            arguments: { url: `${site.origin}/orders/1000001` },
            outcome: 'ok',
            result: '{"order":1000001,"buyer":"Person 1"}',
          },
        ],
        passages: [
          { sourceId: site.sourceId, title: 'Delivery', text: 'Parcels take three days to Bergen.' },
        ],
        now: expect.any(String),
      },
      assertions: [
        { type: 'tool_called', name: 'read_page' },
        { type: 'cites', sourceId: site.sourceId },
      ],
      sourceMessageIds: expect.any(Array),
      replaced: expect.arrayContaining([
        { kind: 'number', original: '1234567', placeholder: '1000001', times: 4 },
      ]),
      doubtful: [],
      missing: [],
    },
  });
  expect(body.sourceMessageIds).toHaveLength(4);
  expect((await draft(source)).body).toEqual(body);
});

test('a draft is saved as it is, and stores nothing before', async () => {
  const { source } = await answeredChat();
  const { body } = await draft(source);
  const set = { name: 'Orders', agentId: body.agentId };
  const { setId } = (await request('POST', '/sets', set)).body;
  expect((await request('GET', `/sets/${setId}/cases`)).body).toEqual([]);
  const { name, messages, recording, assertions, sourceMessageIds } = body;
  const saved = await request('POST', `/sets/${setId}/cases`, {
    name,
    messages,
    recording,
    assertions,
    sourceMessageIds,
  });
  expect([saved.status, saved.body.recording]).toEqual([201, recording]);
});

test('a draft of an answer without a recording names what its trace lacks', async () => {
  const { chat, source } = await answeredChat();
  const { harness } = site.services;
  await harness.asOwner(
    `delete from agents.turn_recordings
     where turn_id in (select turn_id from agents.turns where conversation_id = $1)`,
    [chat.conversationId],
  );
  const { body: whole } = await draft(source);
  expect([whole.missing, whole.recording.tools.length, whole.recording.passages.length]).toEqual([[], 1, 1]);
  await harness.asOwner(
    `update agents.turns set context = jsonb_set(context, '{citations,0,chunkId}', $3::jsonb),
       tool_calls = jsonb_set(jsonb_set(tool_calls, '{0,result}', $2::jsonb), '{0,arguments}', '"{\\"url\\": \\"x"')
     where conversation_id = $1 and tool_calls <> '[]'`,
    [chat.conversationId, JSON.stringify('x'.repeat(1000)), JSON.stringify(randomUUID())],
  );
  const { body } = await draft(source);
  expect(body.missing).toEqual([
    { place: 'recording.tools.0.arguments', tool: 'read_page', reason: 'not kept' },
    { place: 'recording.tools.0.result', tool: 'read_page', reason: 'not kept' },
    { place: 'recording.passages.0.text', tool: 'Delivery', reason: 'not kept' },
  ]);
  expect(body.recording.tools[0]).toMatchObject({ name: 'read_page', arguments: {}, result: '' });
});

test('there is no draft of a message of another tenant or chat, of a question, or for a member', async () => {
  const { chat, source } = await answeredChat();
  const other = await answeredChat();
  const [question] = await site.services.harness.asOwner<{ message_id: string }>(
    `select message_id from agents.messages where conversation_id = $1 and direction = 'in'`,
    [chat.conversationId],
  );
  const statuses = await Promise.all([
    draft(source, site.services.other.admin),
    draft({ ...source, chatId: other.source.chatId }),
    draft({ ...source, messageId: question!.message_id }),
    draft({ ...source, messageId: randomUUID() }),
    draft(source, site.services.acme.member),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 403]);
});

test('erasing the person of the chat deletes the case that was made of a draft, and its receipt counts it', async () => {
  const { source } = await answeredChat();
  const { body } = await draft(source);
  const { setId } = (await request('POST', '/sets', { name: 'Erased', agentId: body.agentId })).body;
  const { name, messages, sourceMessageIds } = body;
  const cases = `/sets/${setId}/cases`;
  const { caseId } = (await request('POST', cases, { name, messages, sourceMessageIds })).body;
  const { tenantId } = site.services.acme;
  const account = { platform: 'messenger' as const, platformUserId: sender.platformUserId };
  const person = { tenantId, personIds: [personIdOfAccount(tenantId, account)], accounts: [account] };
  const erasedBefore = new Date().toISOString();
  const bus = await site.services.harness.busAs('tenancy');
  let erasedCases = 0;
  await eventually('the erasure is done', async () => {
    const { isDone, receipts } = await ask(bus, erasePerson, { ...person, erasedBefore });
    erasedCases += receipts.find(({ store }) => store === 'agents.evaluation_cases')?.erased ?? 0;
    return isDone;
  });
  expect(erasedCases).toBeGreaterThanOrEqual(1);
  expect((await request('GET', `${cases}/${caseId}`)).status).toBe(404);
  expect((await draft(source)).status).toBe(404);
});
