import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  closeMailServices,
  type MailIntegration,
  type MailServices,
  mailsOf,
  mailsTo,
  makeDueNow,
  openMailServices,
  openThread,
  saveMailbox,
  startMailWebhooks,
} from '../../../../mail-services.ts';
import { delivered, publishReplies, type Reply } from '../../../../replies.ts';
import { eventsOf } from '../../../../webhooks-services.ts';

let services: MailServices;
let mailbox: MailIntegration;
let folder: string;

beforeAll(async () => {
  services = await openMailServices();
  const first = await startMailWebhooks(services);
  mailbox = await saveMailbox(services);
  await first.stop();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-taken-over-'));
});

const running: { stop(): Promise<unknown> }[] = [];
const start = async () => running.push(await startMailWebhooks(services, { MAIL_SPOOL_DIR: folder }));
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await rm(folder, { recursive: true, force: true });
});
afterAll(() => closeMailServices(services));

type Thread = Awaited<ReturnType<typeof openThread>>;

/** Queues a reply as a process of the release before does. */
async function queuedBefore({ threadId, address }: Thread, reply: Reply, but: Record<string, string> = {}) {
  const columns = Object.entries(but);
  const { tenantId, botId, integrationId, replyId, replySeq, text, conversationId, chat } = reply;
  await services.harness.asOwner(
    `insert into webhooks.replies (tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, place, text, platform,
       state) values ($1, $2, $3, $4, $5, $6, $7, $8, 'email', 'queued')`,
    [tenantId, replyId, botId, integrationId, conversationId, replySeq, JSON.stringify(chat), text],
  );
  await services.harness.asOwner(
    `insert into webhooks.reply_turns (tenant_id, conversation_id, next_reply_seq) values ($1, $2, $3 + 1)
     on conflict (tenant_id, conversation_id) do update set next_reply_seq = excluded.next_reply_seq`,
    [tenantId, conversationId, replySeq],
  );
  const [row] = await services.harness.asOwner<{ mail_id: string }>(
    `insert into webhooks.mails (tenant_id, mail_id, thread_id, bot_id, direction, message_id, sender, sender_name, recipient,
       subject, text, html, reply_id, reply_seq${columns.map(([name]) => `, ${name}`).join('')})
     values ($1, gen_random_uuid(), $2, $3, 'out', 'reply.' || $4::text || '@bots.acme.example', $5, '', $6, 'Re', $7, $7, $4::uuid,
       $8${columns.map(([, value]) => `, ${value}`).join('')}) returning mail_id`,
    [tenantId, threadId, botId, replyId, mailbox.address, address, text, replySeq],
  );
  return row!.mail_id;
}

const textsTo = ({ address }: Thread) => mailsTo(services, address).map(({ text }) => text);

test('mails that wait at an upgrade are sent once each, in order, before later ones', async () => {
  const thread = await openThread(services, mailbox);
  const [first, second, third] = ['first', 'second', 'third'].map((text) => thread.reply(text));
  await queuedBefore(thread, first!, { state: "'queued'", ready_at: 'now()' });
  await queuedBefore(thread, second!, { state: "'queued'" });
  await publishReplies(services, third!);
  await start();
  await start();
  expect(await delivered(services, third!)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(await delivered(services, first!)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(textsTo(thread)).toEqual(['first', 'second', 'third']);
  expect((await mailsOf(services, thread.threadId)).map(({ state }) => state)).toEqual([
    'sent',
    'sent',
    'sent',
  ]);
});

test('while a process of the previous release sends a mail, its thread is left to it; the rest is sent after it', async () => {
  await start();
  const thread = await openThread(services, mailbox);
  const [held, next] = [thread.reply('held'), thread.reply('next')];
  const mailId = await queuedBefore(thread, held, {
    state: "'sending'",
    sends: '1',
    open_sends: '1',
    owner: 'gen_random_uuid()',
    fence: '7',
    lease_until: "now() + interval '1 hour'",
  });
  const free = await openThread(services, mailbox);
  const other = free.reply('other');
  await queuedBefore(free, other, { state: "'queued'", ready_at: 'now()' });
  await publishReplies(services, next);
  await delivered(services, other);
  const waiting = await mailsOf(services, thread.threadId);
  expect(waiting.map(({ state, attempts }) => ({ state, attempts }))).toEqual([
    { state: 'sending', attempts: null },
    { state: 'queued', attempts: null },
  ]);
  await services.harness.asOwner(
    "update webhooks.mails set state = 'sent', sent_at = now(), lease_until = null, ready_at = null where mail_id = $1",
    [mailId],
  );
  expect(await delivered(services, next)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(textsTo(thread)).toEqual(['next']);
});

test('an outcome that a process of the release before left in a file is written, and its mail is not sent again', async () => {
  const thread = await openThread(services, mailbox);
  const known = thread.reply('known');
  const id = await queuedBefore(thread, known, {
    state: "'sending'",
    sends: '1',
    open_sends: '1',
    owner: 'gen_random_uuid()',
    fence: '7',
    lease_until: "now() + interval '8 seconds'",
    ready_at: 'now()',
  });
  const outcome = { kind: 'mail', tenantId: mailbox.tenantId, id, send: 1, outcome: { state: 'sent' } };
  const path = join(folder, 'outcomes', `${hostname().replace(/[^\w-]/g, '-')}.999999.json`);
  await mkdir(join(folder, 'outcomes'), { recursive: true });
  await writeFile(path, JSON.stringify([outcome]));
  await start();
  expect(await delivered(services, known)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(textsTo(thread)).toEqual([]);
  await eventually(
    'the mail is settled',
    async () => (await mailsOf(services, thread.threadId))[0]?.state === 'sent',
  );
});

test('an outcome that it wrote and did not announce is announced, and the mail is a part of its thread', async () => {
  const thread = await openThread(services, mailbox);
  const written = thread.reply('written');
  await queuedBefore(thread, written, {
    state: "'sent'",
    is_unannounced: 'true',
    sends: '1',
    open_sends: '1',
  });
  await start();
  expect(await delivered(services, written)).toMatchObject({
    state: 'sent',
    platformMessageIds: [`reply.${written.replyId}@bots.acme.example`],
  });
  await eventually('the mail is settled', async () => {
    const [row] = await services.harness.asOwner<{ references: string[] }>(
      'select "references" from webhooks.mail_threads where thread_id = $1',
      [thread.threadId],
    );
    return row?.references.includes(`reply.${written.replyId}@bots.acme.example`);
  });
  expect(textsTo(thread)).toEqual([]);
});

/** Claims like a process of the previous release: for any platform, with numbers starting at 0. */
const claimedBefore = (threadId: string) =>
  services.harness.asOwner(
    `update webhooks.chats set lease_until = now() + interval '8 seconds', owner = gen_random_uuid(),
       fence = floor(random() * 9007199254740991)::bigint where platform_chat_id = $1 returning 1`,
    [threadId],
  );

test('processes of the previous release never claim a thread of mails, or a mail that is queued here', async () => {
  const without = await startMailWebhooks(services, { MAILER_API_KEY: '' });
  running.push(without);
  const thread = await openThread(services, mailbox);
  const kept = thread.reply('kept');
  await publishReplies(services, kept);
  await eventually('it waits', async () => (await mailsOf(services, thread.threadId))[0]?.reason);
  expect(await claimedBefore(thread.threadId)).toEqual([]);
  const claimable = await services.harness.asOwner(
    `select from webhooks.mails q where q.thread_id = $1 and q.state in ('queued', 'sending') and (q.lease_until is null
       or not exists (select from webhooks.sender_processes p where p.process_id = q.owner and p.lives_until > now()))`,
    [thread.threadId],
  );
  expect(claimable).toEqual([]);
  await without.stop();
  await start();
  await makeDueNow(services, thread.threadId);
  expect(await delivered(services, kept)).toMatchObject({ state: 'sent' });
});

test('nothing was announced twice', async () => {
  const announced = (await eventsOf(services.harness, replyDelivered)).map(({ replyId }) => replyId);
  expect(announced.length).toBe(new Set(announced).size);
});
