import { messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Box, linkMails, type MailFixture, newBox, openMailFixture } from '../../../mail-fixture.ts';
import { newMail, newToken, postForm, triple } from '../../../mailboxes.ts';

let fixture: MailFixture;
let box: Box;

beforeAll(async () => {
  fixture = await openMailFixture({ OBJECT_STORE_MAX_MEGABYTES: '64' });
  box = await newBox(fixture);
  await grant(box, 'sender', anna);
});
afterAll(() => fixture?.harness.close());

const anna = 'anna@acme.example';
const envelopeOf = { proven: anna, forged: 'mallory@evil.example' };
const received: [string, string] = ['Received', 'from mail.acme.example by mxa.mailgun.org with SMTP'];

const call = (method: string, path: string, body?: unknown, { people } = box) =>
  fixture.service.call(method, `/api/email-threads${path}`, {
    as: people.admin,
    ...(body === undefined ? {} : { body }),
  });

async function grant(of: Box, kind: string, value: string) {
  const { status, body } = await call('POST', '/senders', { botId: of.botId, kind, value }, of);
  if (status !== 201) throw new Error(`no grant: ${status}`);
  return body as { releasedCount: number };
}

/** Posts a mail of Anna's, with the mailer's findings about its sender above its `Received`. */
async function post(
  to: Box,
  { own = [], below = [], ...mail }: { own?: [string, string][]; below?: [string, string][] } & Mail,
) {
  const { subject = 'My order', sender = anna, references } = mail;
  const written = newMail(to, { from: `Anna <${anna}>`, fields: { sender, subject } });
  const listed = [
    ...own,
    received,
    ['From', `Anna <${anna}>`],
    ['Message-Id', `<${written.messageId}>`],
    ...(references ? [['References', `<${references}>`]] : []),
    ...below,
  ];
  const signature = triple({ key: 'signing-key', token: newToken() });
  const fields = { ...written, 'message-headers': JSON.stringify(listed), ...signature };
  const { status } = await postForm(fixture.service, to.botId, fields);
  const [row] = await fixture.harness.asOwner<Row>(
    'select mail_id, thread_id, state, reason, sender_proof from webhooks.mails where bot_id = $1 and message_id = $2',
    [to.botId, written.messageId],
  );
  return { status, messageId: written.messageId, ...row! };
}
type Mail = { subject?: string; sender?: string; references?: string };
type Row = { mail_id: string; thread_id: string; state: string; reason: string | null; sender_proof: string };

const pass: [string, string] = ['X-Mailgun-Spf', 'Pass'];
const fail: [string, string] = ['X-Mailgun-Dkim-Check-Result', 'Fail'];
const forged = { own: [pass, fail], sender: envelopeOf.forged };

/** The content of a mail's event, once it is published. */
const eventOf = (messageId: string) =>
  eventually('the mail is a message', async () => {
    const rows = await fixture.harness.asOwner<{ data: string }>(
      `select data from webhooks.outbox where subject like $1 and data like $2`,
      [`%.event.${messageReceived.name}.%`, `%${messageId}%`],
    );
    return rows[0] && messageReceived.schema.parse(JSON.parse(rows[0].data));
  });

describe("W-21: a mail in a granted sender's name", () => {
  test('is answered with a proof, and its event contains it', async () => {
    const mail = await post(box, { own: [pass] });
    expect(mail).toMatchObject({ status: 200, state: 'admitted', reason: null, sender_proof: 'proven' });
    expect((await eventOf(mail.messageId)).sender).toMatchObject({ platformUserId: anna, isProven: true });
  });

  test('is answered if the mailer reports no results, and its event contains no proof', async () => {
    for (const below of [[], [pass]] as [string, string][][]) {
      const mail = await post(box, { below });
      expect(mail).toMatchObject({ status: 200, state: 'admitted', sender_proof: 'unknown' });
      expect((await eventOf(mail.messageId)).sender).toMatchObject({ isProven: false });
    }
  });

  test('is held if the results do not prove it; no link is sent, and its thread keeps its subject', async () => {
    const firstMail = await post(box, { own: [pass], subject: 'My order' });
    const mail = await post(box, {
      ...forged,
      references: firstMail.messageId,
      subject: 'Your invoice: evil.example',
    });
    expect(mail).toMatchObject({ status: 200, state: 'held', sender_proof: 'failed' });
    expect(mail.reason).toMatch(/domain of its sender: SPF pass, DKIM fail$/);
    expect(mail.thread_id).toBe(firstMail.thread_id);
    expect(await linkMails(fixture, { threadId: mail.thread_id })).toEqual([]);
    expect((await call('GET', `/${mail.thread_id}`)).body).toMatchObject({
      subject: 'My order',
      state: 'held',
      heldCount: 1,
    });
    const shown = { mailId: mail.mail_id, senderProof: 'failed', reason: mail.reason, state: 'held' };
    expect((await call('GET', `/held-mails?botId=${box.botId}`)).body).toMatchObject([shown]);
    expect((await call('GET', `/${mail.thread_id}/mails`)).body).toMatchObject([
      shown,
      { mailId: firstMail.mail_id, senderProof: 'proven' },
    ]);
    expect((await call('GET', `/mails/${mail.mail_id}`)).body).toMatchObject(shown);
  });

  test('waits for an admin: no grant releases it, and nothing is proven when it is admitted', async () => {
    const other = await newBox(fixture, { people: box.people });
    const mail = await post(other, forged);
    const unknown = await post(other, { subject: 'Without results' });
    expect([mail.state, unknown.state]).toEqual(['held', 'held']);
    expect(await grant(other, 'sender', anna)).toMatchObject({ releasedCount: 1 });
    expect(await grant(other, 'thread', mail.thread_id)).toMatchObject({ releasedCount: 0 });
    expect(await grant(other, 'group', 'acme.example')).toMatchObject({ releasedCount: 0 });
    const admitted = await call('POST', `/held-mails/${mail.mail_id}/admit`);
    expect(admitted.body).toMatchObject({ state: 'admitted', reason: null, senderProof: 'failed' });
    expect((await eventOf(mail.messageId)).sender).toMatchObject({ isProven: false });
  });

  test('is answered by a bot that answers everybody, with nothing proven', async () => {
    const open = await newBox(fixture, { people: box.people, senderPolicy: 'open' });
    const mail = await post(open, forged);
    expect(mail).toMatchObject({ state: 'admitted', sender_proof: 'failed' });
    expect((await eventOf(mail.messageId)).sender).toMatchObject({ isProven: false });
  });
});
