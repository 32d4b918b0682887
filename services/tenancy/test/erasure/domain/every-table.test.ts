import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { personIdOfAccount, personIdOfUser } from '@botyard/shared/auth/person-id';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestMailbox } from '../../../../webhooks/test/mailboxes.ts';
import { callOk, linkAccount, userIdOf } from '../../whole-platform.ts';
import { ErasureFixture, newChatPerson, newGroup } from './erasure-fixture.ts';
import { admitSender, answeredTo, inboundMail, openMailbox } from './mail-of-person.ts';
import { insertPersonRows, type PersonInEveryTable } from './person-rows.ts';

const page = new URL('../../../../../docs/personal-data.md', import.meta.url);

/** The classification of each table, read from the decision's own list, so that the list is correct. */
const classified = new Map(
  [...readFileSync(page, 'utf8').matchAll(/^\| `(\w+\.\w+)` +\| `(goes|emptied|hash|none)` +\| \S/gm)].map(
    ([, table = '', holds = '']) => [table, holds],
  ),
);

let fixture: ErasureFixture;
let mailbox: TestMailbox;
beforeAll(async () => {
  fixture = await ErasureFixture.open();
  mailbox = await openMailbox(fixture);
});
afterAll(() => fixture?.close());

test('every table is classified, and no other', async () => {
  const tables = await fixture.platform.harness.asOwner<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables where schemaname in ('tenancy', 'keys', 'usage', 'webhooks', 'agents')`,
  );
  expect([...classified.keys()].sort()).toEqual(tables.map(({ name }) => name).sort());
});

/** Everything that a person may do: writes in private, in a group and by mail, edits, attaches files, is let in. */
async function live({ word, id, address, name }: PersonInEveryTable): Promise<string[]> {
  const anna = { id, name };
  const from = `${name} <${address}>`;
  await fixture.say(anna, `${word} private`);
  const chatId = newGroup();
  await fixture.say(anna, `${word} group`, { chatId });
  await fixture.settle();
  const offered = await fixture.platform.harness.asOwner(
    `update agents.messages m set choices = jsonb_build_array($1::text) from agents.conversations c
     where c.tenant_id = m.tenant_id and c.conversation_id = m.conversation_id and m.direction = 'out'
       and c.place ->> 'platformChatId' = $2 returning 1`,
    [`Call ${word}`, String(chatId)],
  );
  expect(offered).toHaveLength(1);
  const quoted = {
    message_id: 7,
    from: { id, is_bot: false, first_name: name },
    text: `${word} group`,
  };
  await fixture.say(newChatPerson('Ravindra'), 'what she says', { chatId, reply_to_message: quoted });
  const document = { file_id: word, file_unique_id: word, file_name: `${word}.pdf`, file_size: 10 };
  await fixture.say(anna, `${word} with a file`, { document });
  const files = [{ name: `${word}.txt`, type: 'text/plain', bytes: Buffer.from(`${word} in a file`) }];
  const first = inboundMail(fixture, mailbox, { from, text: `${word} by mail`, files });
  expect((await first.post('anew')).status).toBe(200);
  await admitSender(fixture, address);
  await answeredTo(fixture, address, `${word} by mail`);
  const second = inboundMail(fixture, mailbox, { from, text: `${word} again` });
  expect((await second.post('anew')).status).toBe(200);
  await answeredTo(fixture, address, `${word} again`);
  await fixture.settle();
  return [first.messageId, second.messageId];
}

test('D-01: a person is planted in every table that contains personal data, and after the erasure found in none, and in no stream and object', async () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const { id, name } = newChatPerson(`Anna${word}`);
  const person = { word, id, name, address: `anna.${word}@people.example`, visitorId: randomUUID() };
  const messageIds = await live(person);
  const { platform, people } = fixture;
  const userId = await userIdOf(platform, platform.acme.member);
  await linkAccount(platform, userId, String(id));
  await linkAccount(platform, userId, person.address, 'email');
  await linkAccount(platform, userId, String(id), 'whatsapp');
  await linkAccount(platform, userId, person.visitorId, 'webchat');
  await insertPersonRows(fixture, person);
  const asStaff = personIdOfUser(people.tenantId, userId);
  await platform.harness.asOwner('insert into agents.staff values ($1, $2, $3, $4)', [
    ...[people.tenantId, randomUUID(), userId, asStaff],
  ]);
  expect(await fixture.find(asStaff)).toEqual(['agents.staff']);
  const words = [word, String(id), person.address, person.visitorId, ...messageIds];
  const before = await fixture.find(...words);
  const expected = [...classified].filter(([, holds]) => holds === 'goes' || holds === 'emptied');
  expect(before).toEqual(expect.arrayContaining(expected.map(([table]) => table)));
  expect(before.filter((place) => place.startsWith('object')).length).toBeGreaterThan(0);
  expect(before).toEqual(expect.arrayContaining(['stream agents', 'stream webhooks']));
  const account = { platform: 'messenger', platformUserId: String(id) } as const;
  const personId = personIdOfAccount(people.tenantId, account);
  expect(await fixture.find(personId)).toContain('agents.rating_questions');
  const done = await fixture.done(await fixture.request({ userId }));
  expect(await fixture.find(personId)).not.toContain('agents.rating_questions');
  expect(await fixture.find(...words)).toEqual([]);
  process.stdout.write(`D-01: a person found in ${before.length} places before the erasure, in 0 after\n`);
  expect(done.receipts.filter(({ erased }) => erased > 0).length).toBeGreaterThan(20);
  const hashes = [
    personIdOfAccount(people.tenantId, { platform: 'messenger', platformUserId: String(id) }),
    personIdOfAccount(people.tenantId, { platform: 'email', platformUserId: person.address }),
    personIdOfAccount(people.tenantId, { platform: 'whatsapp', platformUserId: String(id) }),
    personIdOfAccount(people.tenantId, { platform: 'webchat', platformUserId: person.visitorId }),
    asStaff,
  ];
  expect(done.personIds.toSorted()).toEqual(hashes.toSorted());
  expect(await fixture.find(...hashes)).toEqual([
    'agents.erased_people',
    `object ${people.tenantId}/erasures/ledger`,
    'tenancy.erasures',
    'webhooks.erased_people',
  ]);
  const grants = await platform.harness.asOwner<{ granted_by: string }>(
    `select granted_by from webhooks.sender_grants where value = 'friends.example'`,
  );
  expect(grants).toEqual([{ granted_by: expect.stringMatching(/^erased:/) }]);
});

test('a mail that the mailer repeats after the erasure of its sender is known, with its own signature and with another', async () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const address = `anna.${word}@people.example`;
  const mail = inboundMail(fixture, mailbox, { from: `Anna <${address}>`, text: `${word} held` });
  expect((await mail.post('once')).status).toBe(200);
  expect(await fixture.find(word)).toContain('webhooks.mails');
  await fixture.done(await fixture.request({ platform: 'email', platformUserId: address.toUpperCase() }));
  expect(await fixture.find(word, mail.messageId)).toEqual([]);
  for (const signed of ['once', 'anew'] as const) expect((await mail.post(signed)).status).toBe(200);
  expect(await fixture.find(word, mail.messageId)).toEqual([]);
});

test("D-02: the answer to a mail whose sender is erased meanwhile is dropped, and their later mail is held like a stranger's", async () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const address = `anna.${word}@people.example`;
  const from = `Anna <${address}>`;
  await admitSender(fixture, address);
  fixture.model.hang();
  const modelRequest = fixture.model.nextRequest();
  const mail = inboundMail(fixture, mailbox, { from, text: `${word} first` });
  expect((await mail.post('anew')).status).toBe(200);
  await modelRequest;
  const request = await fixture.request({ platform: 'email', platformUserId: address });
  await eventually('it has begun', async () => (await fixture.get(request.requestId)).state !== 'queued');
  fixture.model.release();
  await fixture.done(request);
  await fixture.settle();
  expect(await fixture.find(word, mail.messageId)).toEqual([]);
  expect((await inboundMail(fixture, mailbox, { from, text: 'I am back' }).post('anew')).status).toBe(200);
  expect(await fixture.find('I am back')).toEqual(['webhooks.mails']);
});

test('a person who was never admitted is found by their hash alone, in a restored backup', async () => {
  const word = `canary${randomUUID().slice(0, 8)}`;
  const address = `anna.${word}@people.example`;
  const mail = inboundMail(fixture, mailbox, { from: `Anna <${address}>`, text: `${word} held` });
  expect((await mail.post('anew')).status).toBe(200);
  const { harness, tenancy, acme } = fixture.platform;
  const tables = ['mail_threads', 'mails', 'sender_tokens'];
  await harness.asOwner('create schema if not exists backup');
  for (const table of tables)
    await harness.asOwner(
      `create table backup.${table} as select * from webhooks.${table} t where t::text like '%${word}%'`,
    );
  await fixture.done(await fixture.request({ platform: 'email', platformUserId: address }));
  await harness.asOwner('insert into webhooks.mail_threads select * from backup.mail_threads');
  await harness.asOwner('insert into webhooks.mails overriding system value select * from backup.mails');
  await harness.asOwner('insert into webhooks.sender_tokens select * from backup.sender_tokens');
  await harness.asOwner('drop schema backup cascade');
  await harness.asOwner('delete from tenancy.erasures where tenant_id = $1', [fixture.people.tenantId]);
  await harness.asOwner('delete from webhooks.erased_people where tenant_id = $1', [fixture.people.tenantId]);
  expect(await fixture.find(word)).toContain('webhooks.mails');
  const begun = await callOk(tenancy, 'POST', '/api/admin/gdpr/reapply', { as: acme.admin, status: 202 });
  for (const one of begun) await fixture.done(one);
  expect(await fixture.find(word)).toEqual([]);
});
