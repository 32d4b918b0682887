import { randomUUID } from 'node:crypto';
import { type InboundMessage, messageReceived } from '@botyard/contracts/events/webhooks';
import { Outbox } from '@botyard/shared/bus/outbox';
import { withTenant } from '@botyard/shared/db/database';
import type { TestService } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { releaseHeld } from '../../../../src/platforms/mailgun/domain/inbound/release-held.ts';
import { mailsOf, newMail, postMail, saveMailbox, type TestMailbox } from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services, { OBJECT_STORE_MAX_MEGABYTES: '64' });
});
afterAll(() => closeWebhooksServices(services));

async function messagesOf({ botId }: Pick<TestMailbox, 'botId'>): Promise<InboundMessage[]> {
  await publishedAll(services);
  return (await eventsOf(services.harness, messageReceived)).filter((message) => message.botId === botId);
}

const plusTokenOf = async (threadId: string): Promise<string> => {
  const [row] = await services.harness.asOwner<{ plus_token: string }>(
    'select plus_token from webhooks.mail_threads where thread_id = $1',
    [threadId],
  );
  return row!.plus_token;
};

/** A mail of ours in a thread, after it was sent. */
async function replyIn(mailbox: TestMailbox, threadId: string, recipient: string): Promise<string> {
  const messageId = `${randomUUID()}@bots.acme.example`;
  await services.harness.asOwner(
    `insert into webhooks.mails (tenant_id, mail_id, thread_id, bot_id, direction, message_id, sender, sender_name, recipient,
       subject, text, state) values ($1, $2, $3, $4, 'out', $5, $6, '', $7, 'Re: x', 'secret answer', 'sent')`,
    [mailbox.tenantId, uuidv7(), threadId, mailbox.botId, messageId, mailbox.address, recipient],
  );
  return messageId;
}

const anna = 'anna.keller@example.com';

describe('a thread', () => {
  test('continues by References, by In-Reply-To, and by its plus-address', async () => {
    const mailbox = await saveMailbox(services);
    const first = newMail(mailbox);
    await postMail(webhooks, mailbox, first);
    const threadId = (await mailsOf(services, mailbox))[0]!.thread_id;
    const reply = await replyIn(mailbox, threadId, anna);
    const plus = mailbox.address.replace('@', `+${await plusTokenOf(threadId)}@`);
    const answers = [
      newMail(mailbox, { headers: [['References', `<unknown@x.example>\r\n <${reply}>`]] }),
      newMail(mailbox, { headers: [['In-Reply-To', `<${first.messageId}>`]] }),
      newMail(mailbox, { fields: { recipient: plus } }),
      newMail(mailbox, {
        headers: [
          ['X-Original-To', 'x'],
          ['Delivered-To', plus],
        ],
      }),
    ];
    for (const answer of answers) expect((await postMail(webhooks, mailbox, answer)).status).toBe(200);
    const messages = await messagesOf(mailbox);
    expect(new Set(messages.map(({ conversationId }) => conversationId)).size).toBe(1);
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(messages[0]).toMatchObject({
      platform: 'email',
      chat: { platformChatId: threadId, kind: 'private', title: 'Where is my parcel?' },
      sender: { platformUserId: anna, name: 'Anna Keller' },
      content: 'text',
    });
    const [thread] = await services.harness.asOwner<{ references: string[] }>(
      'select "references" from webhooks.mail_threads where thread_id = $1',
      [threadId],
    );
    expect(thread!.references.slice(0, 3)).toEqual([first.messageId, 'unknown@x.example', reply]);
  });

  test('takes the subject of its latest mail', async () => {
    const mailbox = await saveMailbox(services);
    const first = newMail(mailbox);
    await postMail(webhooks, mailbox, first);
    const headers: [string, string][] = [['In-Reply-To', `<${first.messageId}>`]];
    await postMail(
      webhooks,
      mailbox,
      newMail(mailbox, { headers, fields: { subject: 'Now about kettles' } }),
    );
    const threads = await services.harness.asOwner(
      'select subject from webhooks.mail_threads where bot_id = $1',
      [mailbox.botId],
    );
    expect(threads).toEqual([{ subject: 'Now about kettles' }]);
  });

  test('is its correspondent’s: a stranger who knows its Message-Ids and its plus-address begins another', async () => {
    const mailbox = await saveMailbox(services);
    const first = newMail(mailbox);
    await postMail(webhooks, mailbox, first);
    const [known] = await mailsOf(services, mailbox);
    const reply = await replyIn(mailbox, known!.thread_id, anna);
    const plus = mailbox.address.replace('@', `+${await plusTokenOf(known!.thread_id)}@`);
    const stranger = newMail(mailbox, {
      from: 'Mallory <mallory@evil.example>',
      headers: [
        ['References', `<${first.messageId}> <${reply}>`],
        ['In-Reply-To', `<${reply}>`],
      ],
      fields: { recipient: plus },
    });
    expect((await postMail(webhooks, mailbox, stranger)).status).toBe(200);
    const messages = await messagesOf(mailbox);
    expect(new Set(messages.map(({ conversationId }) => conversationId)).size).toBe(2);
    expect(messages.at(-1)).toMatchObject({ seq: 1, sender: { platformUserId: 'mallory@evil.example' } });
  });

  test('never spans bots or tenants, for any sender', async () => {
    const left = await saveMailbox(services);
    const sibling = await saveMailbox(services, { tenantId: left.tenantId });
    const foreign = await saveMailbox(services);
    const first = newMail(left);
    await postMail(webhooks, left, first);
    const [known] = await mailsOf(services, left);
    const token = await plusTokenOf(known!.thread_id);
    for (const other of [sibling, foreign]) {
      const mail = newMail(other, {
        headers: [['References', `<${first.messageId}>`]],
        fields: { recipient: other.address.replace('@', `+${token}@`) },
      });
      expect((await postMail(webhooks, other, mail)).status).toBe(200);
      const threadId = (await mailsOf(services, other))[0]!.thread_id;
      expect(threadId).not.toBe(known!.thread_id);
    }
  });
});

describe('mail that must not be answered', () => {
  test('is kept as ignored with its reason, and shown in its conversation as a message that is not answered', async () => {
    const mailbox = await saveMailbox(services);
    const first = newMail(mailbox);
    await postMail(webhooks, mailbox, first);
    const automatic: [string, string][] = [['Auto-Submitted', 'auto-replied']];
    const answer: [string, string] = ['In-Reply-To', `<${first.messageId}>`];
    await postMail(webhooks, mailbox, newMail(mailbox, { headers: automatic }));
    await postMail(webhooks, mailbox, newMail(mailbox, { headers: [...automatic, answer] }));
    const mails = await mailsOf(services, mailbox);
    expect(mails.map(({ state, is_automatic, reason }) => [state, is_automatic, reason])).toEqual([
      ['admitted', false, null],
      ['ignored', true, 'automatic mail: Auto-Submitted'],
      ['ignored', true, 'automatic mail: Auto-Submitted'],
    ]);
    expect(mails[2]!.thread_id).toBe(mails[0]!.thread_id);
    expect(mails[1]!.thread_id).not.toBe(mails[0]!.thread_id);
    const messages = await messagesOf(mailbox);
    expect(messages.map(({ automaticReason }) => automaticReason)).toEqual([
      undefined,
      'automatic mail: Auto-Submitted',
      'automatic mail: Auto-Submitted',
    ]);
  });

  test('is shown in its thread only, if the mailer has disproved its sender', async () => {
    const mailbox = await saveMailbox(services, { senderPolicy: 'authorized' });
    const headers: [string, string][] = [
      ['X-Mailgun-Spf', 'Fail'],
      ['Received', 'from x'],
      ['Precedence', 'junk'],
    ];
    await postMail(webhooks, mailbox, newMail(mailbox, { headers }));
    expect(await mailsOf(services, mailbox)).toMatchObject([{ state: 'ignored', is_automatic: true }]);
    expect(await messagesOf(mailbox)).toEqual([]);
  });

  test('from an address of any bot is ours', async () => {
    const mailbox = await saveMailbox(services);
    const foreign = await saveMailbox(services);
    const from = `Their bot <${foreign.address.replace('@', '+abc@')}>`;
    expect((await postMail(webhooks, mailbox, newMail(mailbox, { from }))).status).toBe(200);
    expect(await mailsOf(services, mailbox)).toEqual([]);
  });

  test('is ignored from the 21st in an hour on if it repeats without being marked as automatic', async () => {
    const mailbox = await saveMailbox(services);
    const first = newMail(mailbox);
    await postMail(webhooks, mailbox, first);
    const headers: [string, string][] = [['In-Reply-To', `<${first.messageId}>`]];
    for (let number = 2; number <= 23; number += 1)
      expect((await postMail(webhooks, mailbox, newMail(mailbox, { headers }))).status).toBe(200);
    const states = (await mailsOf(services, mailbox)).map(({ state }) => state);
    expect(states).toEqual([...Array(20).fill('admitted'), ...Array(3).fill('ignored')]);
    expect(await messagesOf(mailbox)).toHaveLength(20);
  });
});

describe('mail of an unknown sender', () => {
  const release = (held: Parameters<typeof releaseHeld>[2]) => withOutbox((outbox) => outbox(held));

  async function withOutbox<Result>(
    work: (release: (held: Parameters<typeof releaseHeld>[2]) => Promise<number>) => Promise<Result>,
  ): Promise<Result> {
    const database = services.harness.databaseAs('webhooks');
    const bus = await services.harness.busAs('webhooks');
    const outbox = new Outbox({ bus, database, schema: 'webhooks' });
    return await work((held) =>
      withTenant(database, [held.tenantId], (tx) =>
        releaseHeld(
          { outbox, showWritten: async () => undefined, wakeMailReading: () => undefined },
          tx,
          held,
        ),
      ),
    );
  }

  const heldMailbox = async (count: number, from = anna) => {
    const mailbox = await saveMailbox(services, { senderPolicy: 'authorized' });
    const texts = Array.from({ length: count }, (_, index) => `number ${index + 1}`);
    for (const text of texts)
      expect((await postMail(webhooks, mailbox, newMail(mailbox, { from, text }))).status).toBe(200);
    return { mailbox, texts };
  };

  test('waits, and is admitted with its grant: the oldest first, each once', async () => {
    const { mailbox, texts } = await heldMailbox(3);
    expect((await mailsOf(services, mailbox)).map(({ state }) => state)).toEqual(['held', 'held', 'held']);
    expect(await messagesOf(mailbox)).toEqual([]);
    const { tenantId, botId, integrationId } = mailbox;
    const released = await Promise.all(
      [1, 2].map(() => release({ tenantId, botId, integrationId, sender: anna })),
    );
    expect(released.toSorted()).toEqual([0, 3]);
    const messages = await messagesOf(mailbox);
    expect(messages.map(({ text }) => text).toSorted()).toEqual(texts);
    expect(messages.map(({ sender }) => sender.platformUserId)).toEqual([anna, anna, anna]);
  });

  test('is admitted by its thread alone, by its domain, or by itself', async () => {
    const { mailbox } = await heldMailbox(3);
    const { tenantId, botId, integrationId } = mailbox;
    const [first, second] = await mailsOf(services, mailbox);
    const own = { tenantId, botId, integrationId };
    expect(await release({ ...own, domain: 'other.example' })).toBe(0);
    expect(await release({ ...own, sender: 'else@example.com' })).toBe(0);
    expect(await release({ ...own, botId: randomUUID(), domain: 'example.com' })).toBe(0);
    expect(await release({ ...own, threadId: first!.thread_id })).toBe(1);
    expect(await release({ ...own, mailId: second!.mail_id })).toBe(1);
    expect(await release({ ...own, domain: 'Example.com' })).toBe(1);
  });

  test('is bounded: 20 mails of one sender wait, and the rest is only counted', async () => {
    const { mailbox } = await heldMailbox(22);
    expect(await mailsOf(services, mailbox)).toHaveLength(20);
  });
});
