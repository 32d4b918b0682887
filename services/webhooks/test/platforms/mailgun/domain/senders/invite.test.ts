import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Box,
  invite,
  linkMails,
  type MailFixture,
  newAddress,
  newBox,
  newThread,
  openMailFixture,
  publicBaseUrl,
  tokenIn,
} from '../../../../mail-fixture.ts';

let fixture: MailFixture;
let box: Box;

beforeAll(async () => {
  fixture = await openMailFixture();
  box = await newBox(fixture);
});
afterAll(() => fixture?.harness.close());

test('an unknown sender gets one mail with a link, and none for further mail within 24 hours', async () => {
  const thread = await newThread(fixture, box);
  const { threadId, correspondent: sender } = thread;
  expect(await invite(fixture, box, { threadId, sender })).toBe('sent');
  expect(await invite(fixture, box, { threadId, sender })).toBe('capped');
  const other = await newThread(fixture, box, { correspondent: sender });
  expect(await invite(fixture, box, { threadId: other.threadId, sender })).toBe('capped');
  const mails = [...(await linkMails(fixture, thread)), ...(await linkMails(fixture, other))];
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatchObject({ recipient: sender });
  expect(mails[0]?.text).toMatch(
    new RegExp(`^${publicBaseUrl}/api/email-auth/allow#token=[0-9a-f]{48}$`, 'm'),
  );
  await fixture.harness.asOwner(
    `update webhooks.sender_tokens set created_at = now() - interval '25 hours' where address = $1`,
    [sender],
  );
  expect(await invite(fixture, box, { threadId, sender })).toBe('sent');
});

test('one of 20 simultaneous mails is answered with a link', async () => {
  const thread = await newThread(fixture, box);
  const { threadId, correspondent: sender } = thread;
  const verdicts = await Promise.all(
    Array.from({ length: 20 }, () => invite(fixture, box, { threadId, sender })),
  );
  expect(verdicts.filter((verdict) => verdict === 'sent')).toHaveLength(1);
  expect(await linkMails(fixture, thread)).toHaveLength(1);
});

test('the mail carries nothing that the sender wrote, and no line that ends a header', async () => {
  const thread = await newThread(fixture, box, { subject: 'BUY NOW http://spam.example' });
  const { threadId, correspondent: sender } = thread;
  await invite(fixture, box, {
    threadId,
    sender,
    language: 'BUY NOW http://spam.example\r\nBcc: all@x.example',
  });
  const [mail] = await linkMails(fixture, thread);
  expect(JSON.stringify(mail)).not.toMatch(/BUY NOW|spam\.example|Bcc/);
  expect(mail?.subject).toBe(`Please confirm your mail to ${box.address}`);
});

test('the mail is in the language of the mail that it answers, and safe in HTML', async () => {
  const thread = await newThread(fixture, box);
  const { threadId, correspondent: sender } = thread;
  await invite(fixture, box, { threadId, sender, language: 'fr-CA' });
  const [mail] = await linkMails(fixture, thread);
  expect(mail?.subject).toBe(`Veuillez confirmer votre e-mail à ${box.address}`);
  expect(mail?.text).toContain("Si vous n'avez rien écrit");
  expect(mail?.html).toContain("Si vous n'avez rien écrit");
  expect(mail?.language).toBe('fr');
});

test('only a hash of the token is stored with the mail itself', async () => {
  const thread = await newThread(fixture, box);
  await invite(fixture, box, { threadId: thread.threadId, sender: thread.correspondent });
  const [mail] = await linkMails(fixture, thread);
  const token = tokenIn(mail!);
  const rows = await fixture.harness.asOwner(`select * from webhooks.sender_tokens where thread_id = $1`, [
    thread.threadId,
  ]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(fixture.harness.logLines.join('\n')).not.toContain(token);
});

test.each([
  ...['mailer-daemon@x.example', 'postmaster@x.example', 'no-reply@x.example', 'noreply+12@x.example'],
  ...['bounces+1=2@x.example', 'donotreply@x.example', '', 'anna', 'anna@', '@x.example', 'a@b@x.example'],
  ...[
    'a,b@x.example',
    'a b@x.example',
    'anna@x.example\r\nbcc: b@x.example',
    '"a"@x.example',
    '<a@x.example>',
  ],
  `${'a'.repeat(65)}@x.example`,
])('nothing is sent to %j', async (sender) => {
  const { threadId } = await newThread(fixture, box);
  expect(await invite(fixture, box, { threadId, sender })).toBe('capped');
  expect(await linkMails(fixture, { threadId })).toEqual([]);
});

test("nothing is sent to the bot's own address, in any spelling, or to one that bounced", async () => {
  const { threadId } = await newThread(fixture, box);
  expect(await invite(fixture, box, { threadId, sender: box.address })).toBe('capped');
  const plus = box.address.replace('@', '+abc@');
  expect(await invite(fixture, box, { threadId, sender: plus })).toBe('capped');
  const sender = newAddress();
  await fixture.harness.asOwner(
    `insert into webhooks.bounced_addresses (tenant_id, address, reason) values ($1, $2, 'unknown')`,
    [box.tenantId, sender],
  );
  expect(await invite(fixture, box, { threadId, sender })).toBe('capped');
});

test('one person gets at most 3 links in 24 hours, over all bots, tenants and spellings', async () => {
  const boxes = [await newBox(fixture), await newBox(fixture)];
  const verdicts: string[] = [];
  const name = `ann.a${randomUUID().slice(0, 8)}`;
  const spellings = [name, `${name}+1`, name.replace('.', ''), `${name}+2`, `a.${name.slice(1)}`];
  for (const [index, local] of spellings.entries()) {
    const one = boxes[index % 2]!;
    const { threadId } = await newThread(fixture, one);
    verdicts.push(await invite(fixture, one, { threadId, sender: `${local}@gmail.com` }));
  }
  expect(verdicts).toEqual(['sent', 'sent', 'sent', 'capped', 'capped']);
});

test('a bot sends at most 60 links an hour, whomever a flood names, and others are not kept from theirs', async () => {
  const flooded = await newBox(fixture);
  const { threadId } = await newThread(fixture, flooded);
  const verdicts: string[] = [];
  const senders = Array.from({ length: 80 }, () => newAddress());
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let sender = senders.pop(); sender; sender = senders.pop())
        verdicts.push(await invite(fixture, flooded, { threadId, sender }));
    }),
  );
  expect(verdicts.filter((verdict) => verdict === 'sent')).toHaveLength(60);
  const sibling = await newBox(fixture, { people: flooded.people });
  const other = await newThread(fixture, sibling);
  expect(await invite(fixture, sibling, { threadId: other.threadId, sender: newAddress() })).toBe('sent');
});
