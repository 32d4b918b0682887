import { randomInt } from 'node:crypto';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { armFailpoints } from '@botyard/shared/service/failpoint';
import { contentText, type ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { Apps, orderType } from '../../app-calls.ts';

let services: AgentsServices;
let apps: Apps;
let bot: TestBot;
let appId: string;

const noticeType = {
  name: 'notice',
  readableBy: 'everybody' as const,
  fields: [{ name: 'text', type: 'text' as const, required: true }],
};

beforeAll(async () => {
  services = await openAgentsServices();
  apps = new Apps(services);
  bot = await createBot(services, services.acme);
  await services.harness.settled('agents', 'tenancy');
  const records = [
    { type: 'order', may: ['save' as const, 'find' as const] },
    { type: 'notice', may: ['find' as const] },
  ];
  const agents = [{ key: 'desk', agentId: bot.agentIds[0]!, records }];
  appId = await apps.running({ agents, recordTypes: [orderType, noticeType] }, bot.botId);
});
beforeEach(() => services.harness.asOwner('delete from agents.app_records'));
afterAll(() => services?.close());

interface Asked {
  name: string;
  arguments: Record<string, unknown>;
}

/** The model calls these tools immediately and then reports their results. */
function call(...toolCalls: Asked[]): void {
  services.model.replyWith((request: ModelRequest) =>
    request.toolResults.length > 0
      ? request.toolResults.map(({ text }) => text).join('\n--\n')
      : { toolCalls },
  );
}
const save = (fields: object, more: object = {}): Asked => ({
  name: 'save_record',
  arguments: { type: 'order', fields, ...more },
});
const find = (more: object = {}): Asked => ({ name: 'find_records', arguments: { type: 'order', ...more } });

const person = (): Partial<InboundMessage> => ({
  sender: { platformUserId: String(randomInt(1e9)), name: 'Ann' },
});
async function say(chat: Chat, count: number, change: Partial<InboundMessage> = {}): Promise<string> {
  await chat.say('hello', change);
  const answers = await chat.answers(count);
  await chat.isIdle();
  return answers[count - 1] ?? '';
}
const records = () => apps.callOk('GET', `/${appId}/records`);

test('the model is offered exactly the fields, and a saved record has its chat, its person and its message', async () => {
  call(save({ item: ' Tea ', count: 2 }));
  const chat = new Chat(services, bot);
  expect(await say(chat, 1)).toMatch(/Saved\. recordId: /);
  const { tools } = services.model.requests.all.at(-1)!;
  const offered = tools.find(({ name }) => name === 'save_record')?.parameters;
  expect(offered).toMatchObject({
    properties: {
      type: { enum: ['order'] },
      fields: { required: ['item'], properties: { size: { enum: ['small', 'large'] } } },
    },
  });
  const [record] = await records();
  const [said] = await services.harness.asOwner<{ message_id: string; chat_id: string; person_id: string }>(
    `select m.message_id, c.chat_id, p.person_id from agents.messages m
     join agents.conversations c using (tenant_id, conversation_id) join agents.people p using (tenant_id, conversation_id)
     where m.conversation_id = $1 and m.direction = 'in'`,
    [chat.conversationId],
  );
  expect(record).toMatchObject({
    source: 'bot',
    fields: { item: 'Tea', count: 2 },
    botId: bot.botId,
    agentId: bot.agentIds[0],
    chatId: said?.chat_id,
    personId: said?.person_id,
    messageId: said?.message_id,
  });
});

test.each([
  ['a field too many', save({ item: 'Tea', price: 1 }), /Refused: the arguments do not fit/],
  ['a value that does not fit', save({ item: 'Tea', count: 0 }), /fields\.count/],
  ['another type', { name: 'save_record', arguments: { type: 'notice', fields: { text: 'x' } } }, /Refused/],
  ['no arguments', { name: 'save_record', arguments: {} }, /Refused/],
  ['an app of its own choice', save({ item: 'Tea' }, { appId: 'x' }), /Refused/],
])('values that a model invents are refused and not saved: %s', async (_what, asked, told) => {
  call(asked);
  expect(await say(new Chat(services, bot), 1)).toMatch(told);
  expect(await records()).toEqual([]);
});

test('a retried turn saves the same records again, and none twice', async () => {
  call(save({ item: 'Tea' }), save({ item: 'Milk' }));
  armFailpoints({ NODE_ENV: 'test', FAILPOINTS: 'agents.turn.before-commit:error' });
  const chat = new Chat(services, bot);
  await say(chat, 1);
  expect((await records()).map(({ fields }: { fields: { item: string } }) => fields.item).sort()).toEqual([
    'Milk',
    'Tea',
  ]);
  await say(chat, 2);
  expect(await records()).toHaveLength(4);
});

test('a record is shown only to the person who reported it', async () => {
  const [ann, bob] = [person(), person()];
  const [hers, his] = [new Chat(services, bot), new Chat(services, bot)];
  call(save({ item: 'Tea' }));
  await say(hers, 1, ann);
  call(find());
  expect(await say(hers, 2, ann)).toContain('item: Tea');
  expect(await say(his, 1, bob)).toContain('Nothing was found');
  // Not even in the same chat.
  expect(await say(hers, 3, bob)).toContain('Nothing was found');
  call(find({ text: 'TEA' }));
  expect(await say(hers, 4, ann)).toContain('item: Tea');
});

test('a record can be changed only by the person who reported it', async () => {
  const [ann, bob] = [person(), person()];
  const chat = new Chat(services, bot);
  call(save({ item: 'Tea' }));
  const recordId = /recordId: (\S+)/.exec(await say(chat, 1, ann))?.[1] ?? '';
  call(save({ item: 'Poison' }, { recordId }));
  expect(await say(chat, 2, bob)).toContain('Refused: this person has no such record here');
  expect(await say(new Chat(services, bot), 1, ann)).toContain('Refused');
  call(save({ item: 'Milk' }, { recordId }));
  expect(await say(chat, 3, ann)).toContain(recordId);
  expect((await records()).map(({ fields }: { fields: object }) => fields)).toEqual([{ item: 'Milk' }]);
});

test('records that everybody may read are shown to everybody; those of another app or tenant to none', async () => {
  const body = { type: 'notice', fields: { text: 'Closed on Monday' } };
  await apps.callOk('POST', `/${appId}/records`, { body });
  const other = await apps.running({ recordTypes: [noticeType] });
  await apps.callOk('POST', `/${other}/records`, {
    body: { type: 'notice', fields: { text: 'Not of this app' } },
  });
  const foreign = new Apps(services, services.other);
  const theirs = await foreign.running({ recordTypes: [noticeType] });
  await foreign.callOk('POST', `/${theirs}/records`, {
    body: { type: 'notice', fields: { text: 'Not of us' } },
  });
  call({ name: 'find_records', arguments: { type: 'notice' } });
  const answerText = await say(new Chat(services, bot), 1);
  expect(answerText).toContain('Closed on Monday');
  expect(answerText).not.toContain('Not of');
});

test('several people who are answered together see no record that belongs to one of them', async () => {
  const joining = await createBot(services, services.acme, { agentIds: bot.agentIds, joinWindowMs: 400 });
  await services.harness.settled('agents', 'tenancy');
  await apps.bind(appId, joining.botId);
  call(find());
  const chat = new Chat(services, joining);
  await chat.say('one', person());
  await chat.say('two', person());
  const [answer] = await chat.answers(1);
  expect(answer).toContain('several people wrote at once');
});

test('an agent has the tools of an app where the app is bound, and nowhere else', async () => {
  const elsewhere = await createBot(services, services.acme, { agentIds: bot.agentIds });
  await services.harness.settled('agents', 'tenancy');
  services.model.replyWith(() => 'ok');
  await say(new Chat(services, elsewhere), 1);
  expect(services.model.requests.all.at(-1)?.tools).toEqual([]);
});

test('the capabilities of an app are for its agents, in the places where it is bound', async () => {
  const as = services.acme.admin;
  const capability = await services.agents.call('POST', '/api/definitions/capabilities', {
    as,
    body: { name: 'Manners', instructions: 'Always say please.' },
  });
  const agentId = await createAgent(services, services.acme);
  const polite = await createBot(services, services.acme, { agentIds: [agentId] });
  await services.harness.settled('agents', 'tenancy');
  const agents = [{ key: 'desk', agentId, capabilities: ['manners'] }];
  const capabilities = [{ key: 'manners', capabilityId: capability.body.id }];
  await apps.running({ agents, capabilities }, polite.botId);
  services.model.replyWith((request) => contentText(request.messages[0]!));
  expect(await say(new Chat(services, polite), 1)).toContain('Always say please.');
});
