import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Chat, createBot } from '../../agents-services.ts';
import {
  asAdmin,
  botWithTool,
  callsTool,
  connectAccount,
  decide,
  ended,
  type IntegrationsFixture,
  openIntegrationsFixture,
  park,
  putRule,
  type ToolBot,
} from '../../integrations-fixture.ts';

let fixture: IntegrationsFixture;
let bot: ToolBot;
const mail = { to: 'ben@example.com', body: 'Hello', password: 'hunter2' };

beforeAll(async () => {
  fixture = await openIntegrationsFixture();
  await connectAccount(fixture, 'mail');
  bot = await botWithTool(fixture, { toolkit: 'mail', tool: 'MAIL_SEND' });
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  await asAdmin(fixture, 'DELETE', '/api/integrations/access-rules');
  await putRule(fixture, { effect: 'approval', toolkit: 'mail' });
  callsTool(fixture, bot.name, mail);
});

const sentMails = () => fixture.tools.executions.all.filter(({ tool }) => tool === 'MAIL_SEND').length;

test('a call that needs approval waits, is made once with the stored arguments when it is approved, and the chat continues', async () => {
  const before = sentMails();
  const { chat, ticketId } = await park(fixture, bot);
  const waiting = (await asAdmin(fixture, 'GET', '/api/integrations/pending')).body;
  expect(waiting).toMatchObject([{ ticketId, status: 'pending', tool: 'MAIL_SEND', arguments: mail }]);
  expect(sentMails()).toBe(before);
  callsTool(fixture, bot.name, { to: 'mallory@example.com' });
  const other = await decide(fixture, ticketId, 'approve', { arguments: { to: 'mallory@example.com' } });
  expect([other.status, other.body.issues]).toMatchObject([400, [{ path: 'arguments' }]]);
  const approved = await decide(fixture, ticketId, 'approve');
  expect([approved.status, approved.body.decidedBy]).toEqual([200, expect.any(String)]);
  const [, told] = await chat.answers(2);
  expect(told).toMatch(/^told: .*approved.*has run.*no instructions.*> .*ben@example\.com/s);
  expect(sentMails()).toBe(before + 1);
  expect(fixture.tools.executions.all.at(-1)?.arguments).toEqual(mail);
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'executed' });
  await chat.isIdle();
  const history = (await asAdmin(fixture, 'GET', '/api/integrations/history')).body;
  expect(history[0]).toMatchObject({
    ticketId,
    decision: 'approval',
    outcome: 'succeeded',
    arguments: { password: '[secret]' },
    requesters: [{ name: expect.any(String) }],
  });
  expect(JSON.stringify(history)).not.toContain('hunter2');
});

test.each(['approve', 'reject'] as const)(
  'a chat waits for staff from its last call that needs approval to the decision: %s',
  async (decision) => {
    const { chat, ticketId } = await park(fixture, bot);
    const state = async () =>
      (
        await fixture.harness.asOwner<{ state: string }>(
          'select state from agents.conversations where conversation_id = $1',
          [chat.conversationId],
        )
      )[0]?.state;
    expect(await state()).toBe('waiting');
    await decide(fixture, ticketId, decision);
    expect(await state()).toBe('open');
  },
);

test('the call is counted once, and is in the trace of both replies', async () => {
  const { chat, ticketId } = await park(fixture, bot);
  await decide(fixture, ticketId, 'approve');
  await chat.answers(2);
  await chat.isIdle();
  const turns = await fixture.harness.asOwner<{ tool_calls: { outcome: string }[] }>(
    'select tool_calls from agents.turns where conversation_id = $1 order by turn_id',
    [chat.conversationId],
  );
  expect(turns.map(({ tool_calls }) => tool_calls.map(({ outcome }) => outcome))).toEqual([
    ['waiting'],
    ['ok'],
  ]);
  const events = await fixture.harness.asOwner<{ data: string }>(
    `select data from agents.outbox where subject like '%turn.completed%' and subject like $1 order by id`,
    [`%${chat.conversationId}`],
  );
  expect(events.map(({ data }) => JSON.parse(data).toolCalls)).toEqual([0, 1]);
});

test('a call that twenty people approve simultaneously is made once, and nineteen get a conflict', async () => {
  const before = sentMails();
  const { chat, ticketId } = await park(fixture, bot);
  const answers = await Promise.all(Array.from({ length: 20 }, () => decide(fixture, ticketId, 'approve')));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  await chat.answers(2);
  await chat.isIdle();
  expect(sentMails()).toBe(before + 1);
  expect(await chat.replies()).toHaveLength(2);
});

test('a rejected call is never made, the chat learns the reason, and a later approval is a conflict', async () => {
  const before = sentMails();
  const { chat, ticketId } = await park(fixture, bot);
  expect((await decide(fixture, ticketId, 'reject', { note: 'not *today*' })).status).toBe(200);
  const [, told] = await chat.answers(2);
  expect(told).toBe(`\`${bot.name}\` was not approved (not \\*today\\*), so I have not done it.`);
  const late = await decide(fixture, ticketId, 'approve');
  expect([late.status, late.body.error]).toEqual([409, expect.stringContaining('rejected')]);
  expect((await decide(fixture, ticketId, 'reject')).status).toBe(409);
  expect(sentMails()).toBe(before);
});

test('a rule that denies it meanwhile keeps an approved call from being made', async () => {
  const before = sentMails();
  const { chat, ticketId } = await park(fixture, bot);
  await putRule(fixture, { effect: 'deny', tool: 'MAIL_SEND' });
  await decide(fixture, ticketId, 'approve');
  const [, told] = await chat.answers(2);
  expect(told).toContain('is no longer allowed');
  expect((await ended(fixture, ticketId)).status).toBe('refused');
  expect(sentMails()).toBe(before);
});

test('arguments that differ from the approved ones are not sent', async () => {
  const before = sentMails();
  const { ticketId } = await park(fixture, bot);
  await fixture.harness.asOwner(
    `update agents.tool_tickets set arguments = replace(arguments, 'ben@', 'mallory@') where ticket_id = $1`,
    [ticketId],
  );
  await decide(fixture, ticketId, 'approve');
  expect(await ended(fixture, ticketId)).toMatchObject({
    status: 'refused',
    detail: 'its arguments are not those that were asked for',
  });
  expect(sentMails()).toBe(before);
});

test('a tool that was changed meanwhile is not called', async () => {
  const before = sentMails();
  const own = await botWithTool(fixture, { toolkit: 'mail', tool: 'MAIL_SEND' });
  callsTool(fixture, own.name, mail);
  const { ticketId } = await park(fixture, own);
  await fixture.harness.asOwner(
    `update agents.tool_definitions set settings = '{"toolkit":"mail","tool":"MAIL_LIST"}' where id = $1`,
    [own.toolId],
  );
  await decide(fixture, ticketId, 'approve');
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'refused', detail: 'the tool has changed' });
  expect(sentMails()).toBe(before);
});

test("people can't approve their own requests", async () => {
  const { ticketId } = await park(fixture, bot);
  const { body: admin } = await fixture.tenancy.call('GET', '/api/current-user', { as: fixture.acme.admin });
  await fixture.harness.asOwner(
    'update agents.tool_tickets set requester_ids = requester_ids || $2::uuid where ticket_id = $1',
    [ticketId, admin.userId],
  );
  const own = await decide(fixture, ticketId, 'approve');
  expect([own.status, own.body.error]).toEqual([403, expect.stringContaining('another person')]);
  const member = { as: fixture.acme.member, body: {} };
  const path = `/api/integrations/pending/${ticketId}`;
  expect((await fixture.agents.call('POST', `${path}/approve`, member)).status).toBe(403);
  const other = { as: fixture.other.admin, body: {} };
  expect((await fixture.agents.call('POST', `${path}/approve`, other)).status).toBe(404);
  expect((await asAdmin(fixture, 'GET', path)).body.status).toBe('pending');
  expect((await decide(fixture, ticketId, 'reject')).status).toBe(200);
});

test("people can't approve requests of an account that they have linked since", async () => {
  const { ticketId } = await park(fixture, bot);
  const { body: admin } = await fixture.tenancy.call('GET', '/api/current-user', { as: fixture.acme.admin });
  const path = `/api/integrations/pending/${ticketId}`;
  const [requester] = (await asAdmin(fixture, 'GET', path)).body.requesters;
  await fixture.harness.asOwner(
    `insert into tenancy.identity_links (link_id, user_id, platform, platform_user_id) values (gen_random_uuid(), $1, $2, $3)`,
    [admin.userId, requester.platform, requester.platformUserId],
  );
  expect((await decide(fixture, ticketId, 'approve')).status).toBe(403);
  await fixture.harness.asOwner('delete from tenancy.identity_links');
  expect((await decide(fixture, ticketId, 'reject')).status).toBe(200);
});

test('a call whose account was disconnected meanwhile is not made', async () => {
  const before = sentMails();
  const connectionId = await connectAccount(fixture, 'mail');
  const own = await botWithTool(fixture, { toolkit: 'mail', tool: 'MAIL_SEND', connectionId });
  callsTool(fixture, own.name, mail);
  const { ticketId } = await park(fixture, own);
  await asAdmin(fixture, 'DELETE', `/api/integrations/connections/${connectionId}`);
  await decide(fixture, ticketId, 'approve');
  expect(await ended(fixture, ticketId)).toMatchObject({
    status: 'refused',
    detail: 'the account is no longer connected',
  });
  expect(sentMails()).toBe(before);
});

test('a call without a decision expires, and the chat is notified', async () => {
  const { chat, ticketId } = await park(fixture, bot);
  await fixture.harness.asOwner(
    `update agents.tool_tickets set expires_at = now(), next_at = now() where ticket_id = $1`,
    [ticketId],
  );
  const [, told] = await chat.answers(2);
  expect(told).toContain('Nobody decided');
  expect((await decide(fixture, ticketId, 'approve')).status).toBe(409);
});

test('the same call requested again while it waits is one ticket; after a /stop its end is still announced', async () => {
  const { chat, ticketId } = await park(fixture, bot);
  const again = await park(fixture, bot, chat);
  expect(again.ticketId).toBe(ticketId);
  await chat.say('/stop', { command: { name: 'stop', argument: '' } });
  await chat.answers(3);
  await decide(fixture, ticketId, 'approve');
  const texts = await chat.answers(4);
  expect(texts.at(-1)).toMatch(/^told: /);
});

test('the result precedes messages after the decision, and nothing of it is lost', async () => {
  const { chat, ticketId } = await park(fixture, bot);
  fixture.model.replyWith((request) => `re: ${String(request.messages.at(-1)?.content).slice(0, 30)}`);
  await decide(fixture, ticketId, 'reject');
  await Promise.all(['one', 'two', 'three'].map((text) => chat.say(text)));
  const texts = await chat.answers(5);
  expect(texts.filter((text) => text.startsWith('re: '))).toEqual(['re: one', 're: two', 're: three']);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(5);
});

test('without a model the person is notified of the end of the call in a sentence of ours', async () => {
  const { chat, ticketId } = await park(fixture, bot);
  fixture.model.failNext({ status: 400, times: 20 });
  await decide(fixture, ticketId, 'approve');
  const [, told] = await chat.answers(2);
  expect(told).toBe(`\`${bot.name}\` was approved, and it is done.`);
  fixture.model.clearFaults();
});

/** Keeps the end of the chat's ticket from being written, until the result is called. */
async function holdEnd({ conversationId }: { conversationId: string }): Promise<() => Promise<void>> {
  const client = await fixture.harness.databaseAs('agents').pool.connect();
  await client.query("begin; select set_config('app.platform', 'test', true)");
  const text = 'select from agents.conversations where conversation_id = $1 for update';
  await client.query(text, [conversationId]);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

test('a connection that is lost while the outcome is written neither repeats the call nor loses the outcome', async () => {
  const before = sentMails();
  const { chat, ticketId } = await park(fixture, bot);
  const letGo = await holdEnd(chat);
  await decide(fixture, ticketId, 'approve');
  await eventually('the outcome is being written', async () => {
    const cut = await fixture.harness.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and query like '%agents.conversations%'`,
    );
    return cut.length > 0;
  });
  await letGo();
  const [, told] = await chat.answers(2);
  expect(told).toMatch(/^told: /);
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'executed' });
  expect(sentMails()).toBe(before + 1);
});

test('an outcome that the database is too busy to store is stored later', async () => {
  const before = sentMails();
  const { chat, ticketId } = await park(fixture, bot);
  const letGo = await holdEnd(chat);
  const isRefused = (line: string) => line.includes('lock timeout');
  const refused = fixture.harness.logLines.filter(isRefused).length;
  await decide(fixture, ticketId, 'approve');
  await eventually(
    'an attempt to store it has failed',
    () => fixture.harness.logLines.filter(isRefused).length > refused,
  );
  await letGo();
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'executed' });
  expect(sentMails()).toBe(before + 1);
});

test.each([
  ['a name that sounds secret', { to: 'ben@example.com', secretary: 'mallory@example.com' }],
  [
    'a value that looks like a key',
    { to: 'sk-mallory_evil@example.com', body: 'Bearer delete.all.customers' },
  ],
])('the person who decides sees the arguments whole: %s', async (_case, args) => {
  callsTool(fixture, bot.name, { ...mail, ...args });
  const { chat, ticketId } = await park(fixture, bot);
  const { body } = await asAdmin(fixture, 'GET', `/api/integrations/pending/${ticketId}`);
  expect(body.arguments).toEqual({ ...mail, ...args });
  expect(JSON.parse(body.argumentsText)).toEqual(body.arguments);
  await decide(fixture, ticketId, 'reject');
  await chat.answers(2);
});

test.each([
  ['are longer than a person can be shown', '\u202e'.repeat(7000), 'too long'],
  ['hold a provider key of the tenant', 'use sk-ant-of-acme-0123456789 now', 'credential'],
  ['hold a credential of an integration', 'use key-of-the-mailer-0123456789 now', 'credential'],
])('a call whose arguments %s becomes no ticket, and is not made', async (_case, body, reason) => {
  await storeCredentials();
  const before = sentMails();
  const tickets = await countTickets();
  callsTool(fixture, bot.name, { ...mail, body });
  const chat = new Chat(fixture, bot);
  await chat.say('do it');
  expect((await chat.answers(1))[0]).toMatch(new RegExp(`^got: .*${reason}`));
  expect([sentMails(), await countTickets()]).toEqual([before, tickets]);
});

/** A provider key and a mail account of a bot, in a new bot each time. */
async function storeCredentials(): Promise<void> {
  const { keys, tenancy, acme } = fixture;
  const as = acme.admin;
  const { botId } = await createBot(fixture, acme);
  const apiKey = 'sk-ant-of-acme-0123456789';
  const key = { provider: 'anthropic', apiKey, scopeType: 'bot', scopeId: botId };
  const mailbox = {
    integrationType: 'email',
    credentials: { address: `${botId}@acme.example`, apiKey: 'key-of-the-mailer-0123456789' },
  };
  const stored = [
    await keys.call('POST', `/api/keys/${acme.tenantId}`, { as, body: key }),
    await tenancy.call('POST', `/api/bots/${acme.tenantId}/${botId}/integrations`, { as, body: mailbox }),
  ];
  expect(stored.map(({ status }) => status)).toEqual([201, 201]);
}

const countTickets = async (): Promise<number> => {
  const [row] = await fixture.harness.asOwner<{ count: number }>(
    'select count(*)::int as count from agents.tool_tickets',
  );
  return row!.count;
};
