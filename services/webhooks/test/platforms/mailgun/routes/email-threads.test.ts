import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Box,
  heldWithLink,
  type MailFixture,
  newAddress,
  newBox,
  newThread,
  openMailFixture,
  putMail,
  statesOf,
  takeIn,
  withLink,
} from '../../../mail-fixture.ts';

let fixture: MailFixture;
let box: Box;
let other: Box;

beforeAll(async () => {
  fixture = await openMailFixture();
  [box, other] = await Promise.all([newBox(fixture), newBox(fixture)]);
});
afterAll(() => fixture?.harness.close());

const call = (method: string, path: string, body?: unknown, as = box.people.admin) =>
  fixture.service.call(method, `/api/email-threads${path}`, { as, ...(body === undefined ? {} : { body }) });

const ids = ({ body }: { body: { threadId: string }[] }) => body.map(({ threadId }) => threadId);

test('threads are listed newest first, by bot, address and state, page by page', async () => {
  const sibling = await newBox(fixture, { people: box.people });
  const held = await newThread(fixture, sibling);
  await putMail(fixture, held);
  await putMail(fixture, held);
  const bounced = await newThread(fixture, sibling);
  await putMail(fixture, bounced);
  const active = await newThread(fixture, sibling);
  await putMail(fixture, active, { state: 'admitted' });
  await fixture.harness.asOwner(
    `insert into webhooks.bounced_addresses (tenant_id, address, reason) values ($1, $2, 'no such user')`,
    [sibling.tenantId, bounced.correspondent],
  );
  const query = `?botId=${sibling.botId}`;
  const [first, second, third] = [active, bounced, held].map(({ threadId }) => threadId);
  expect(ids(await call('GET', query))).toEqual([first, second, third]);
  expect(ids(await call('GET', `${query}&state=held`))).toEqual([third]);
  expect(ids(await call('GET', `${query}&state=bounced`))).toEqual([second]);
  expect(ids(await call('GET', `${query}&state=active`))).toEqual([first]);
  expect(ids(await call('GET', `?address=${held.correspondent.toUpperCase()}`))).toEqual([third]);
  const page = await call('GET', `${query}&limit=2`);
  expect(ids(page)).toEqual([first, second]);
  const next = /<.*?\?(.*)>/.exec(page.headers.get('link') ?? '')?.[1];
  expect(ids(await call('GET', `?${next}`))).toEqual([third]);
  expect((await call('GET', `/${third}`)).body).toMatchObject({ state: 'held', heldCount: 2 });
  expect(ids(await call('GET', query, undefined, other.people.admin))).toEqual([]);
});

test("a thread's mails are listed without their originals, and read one by one with them", async () => {
  const thread = await newThread(fixture, box);
  const plain = await putMail(fixture, thread, { state: 'admitted' });
  const html = await putMail(fixture, thread, { state: 'admitted', html: '<script>alert(1)</script>' });
  const { body } = await call('GET', `/${thread.threadId}/mails`);
  expect(body).toMatchObject([
    { mailId: html, hasHtml: true, text: 'Where is it?', attachments: [] },
    { mailId: plain, hasHtml: false, direction: 'in', sender: thread.correspondent },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/alert|quoted/);
  expect((await call('GET', `/mails/${html}`)).body).toMatchObject({
    html: '<script>alert(1)</script>',
    originalText: 'Where is it? > quoted',
  });
  expect((await call('GET', `/mails/${html}`, undefined, other.people.admin)).status).toBe(404);
});

test.each([
  ['bill.pdf', 'attachment; filename=bill.pdf'],
  ['../../etc/passwd', 'attachment; filename=_.._etc_passwd'],
  ['gnp\u202Efdp.exe', 'attachment; filename=gnpfdp.exe'],
  ['a"\r\nset-cookie: x=1', 'attachment; filename="a_set-cookie_ x=1"'],
  ['Größe €.txt', `attachment; filename="Gr??e ?.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%82%AC.txt`],
  ['\u0007', 'attachment; filename=attachment'],
])('an attachment named %j comes as a file with the type of its bytes', async (name, disposition) => {
  const thread = await newThread(fixture, box);
  const mailId = await putMail(fixture, thread);
  const [attachmentId, bytes] = [randomUUID(), '<html><script>alert(1)</script>'];
  const objectKey = `${box.tenantId}/${attachmentId}`;
  const objects = createNatsObjects(await fixture.harness.busAs('webhooks'), { maxBytes: 2 ** 20 });
  await objects.put(objectKey, Readable.from([Buffer.from(bytes)]), { sizeBytes: bytes.length, sha256: '' });
  await fixture.harness.asOwner(
    `insert into webhooks.mail_attachments (tenant_id, attachment_id, mail_id, name, media_type, size_bytes, sha256, object_key)
     values ($1, $2, $3, $4, 'application/pdf', $5, 'x', $6)`,
    [box.tenantId, attachmentId, mailId, name, bytes.length, objectKey],
  );
  const mail = await call('GET', `/mails/${mailId}`);
  expect(mail.body.attachments).toEqual([
    { attachmentId, name, mediaType: 'application/pdf', sizeBytes: bytes.length, missingReason: null },
  ]);
  expect(mail.text).not.toContain(objectKey);
  const { status, headers, text } = await call('GET', `/attachments/${attachmentId}`);
  expect([status, text]).toEqual([200, bytes]);
  expect(headers.get('content-disposition')).toBe(disposition);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-length': String(bytes.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(headers.get('set-cookie')).toBeNull();
  expect((await call('GET', `/attachments/${attachmentId}`, undefined, other.people.admin)).status).toBe(404);
});

test('a held mail is admitted alone, or refused permanently, once', async () => {
  const thread = await newThread(fixture, box);
  const [first, second, third] = [
    await putMail(fixture, thread),
    await putMail(fixture, thread),
    await putMail(fixture, thread),
  ];
  const held = await call('GET', `/held-mails?address=${thread.correspondent}`);
  expect(held.body.map(({ mailId }: { mailId: string }) => mailId)).toEqual([third, second, first]);
  const answer = (mailId: string, verb: string, as?: Box) =>
    call('POST', `/held-mails/${mailId}/${verb}`, undefined, as?.people.admin);
  expect((await answer(first, 'admit', other)).status).toBe(404);
  expect((await answer(first, 'refuse', other)).status).toBe(404);
  expect((await answer(second, 'admit')).body).toMatchObject({ mailId: second, state: 'admitted' });
  expect((await answer(first, 'refuse')).body).toMatchObject({
    state: 'ignored',
    reason: 'refused by an admin',
  });
  expect(await statesOf(fixture, thread)).toEqual(['ignored', 'admitted', 'held']);
  for (const verb of ['admit', 'refuse'])
    for (const mailId of [first, second]) expect((await answer(mailId, verb)).status).toBe(409);
  const both = await Promise.all([answer(third, 'admit'), answer(third, 'refuse')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await takeIn(fixture, box, thread)).toBe(false);
});

test('an admin admits senders, sees each with the person who granted it, and revokes any grant', async () => {
  const own = await newBox(fixture, { people: box.people });
  const link = await heldWithLink(fixture, own);
  await withLink(fixture, link.token, 'POST', '/authorize-thread', {});
  const thread = await newThread(fixture, own);
  await putMail(fixture, thread);
  const grant = { botId: own.botId, kind: 'sender', value: thread.correspondent.toUpperCase() };
  const made = await call('POST', '/senders', grant);
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    value: thread.correspondent,
    releasedCount: 1,
    grantedBy: expect.stringMatching(/^user:/),
  });
  expect((await call('POST', '/senders', grant)).status).toBe(409);
  const list = await call('GET', `/senders?botId=${own.botId}`);
  expect(list.body).toMatchObject([
    { grantId: made.body.grantId, value: thread.correspondent },
    { value: link.correspondent, grantedBy: link.correspondent },
  ]);
  const remove = (grantId: string, as?: Box) =>
    call('DELETE', `/senders/${grantId}`, undefined, as?.people.admin);
  for (const { grantId } of list.body as { grantId: string }[]) {
    expect((await remove(grantId, other)).status).toBe(404);
    expect((await remove(grantId)).status).toBe(204);
  }
  expect(await takeIn(fixture, own, link)).toBe(false);
  expect((await call('GET', `/senders?botId=${own.botId}`)).body).toEqual([]);
});

test.each([
  ['group', 'gmail.com', 422],
  ['group', 'not a domain', 422],
  ['sender', 'anna', 422],
  ['thread', 'anna', 404],
  ['thread', randomUUID(), 404],
])('an admin can grant no %s %j', async (kind, value, status) => {
  expect((await call('POST', '/senders', { botId: box.botId, kind, value })).status).toBe(status);
});

test('no bot or thread of another tenant can be granted to, and no answer reveals that it exists', async () => {
  const thread = await newThread(fixture, other);
  const body = { kind: 'sender', value: newAddress() };
  const foreign = await call('POST', '/senders', { ...body, botId: other.botId });
  const missing = await call('POST', '/senders', { ...body, botId: randomUUID() });
  expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  const across = await call('POST', '/senders', { botId: box.botId, kind: 'thread', value: thread.threadId });
  expect(across.status).toBe(404);
});

test('an address that bounced is listed until an admin lifts it', async () => {
  const addresses = [newAddress(), newAddress(), newAddress()];
  for (const address of addresses)
    await fixture.harness.asOwner(
      `insert into webhooks.bounced_addresses (tenant_id, address, reason, bounced_at)
       values ($1, $2, 'no such user', '2026-01-01')`,
      [other.tenantId, address],
    );
  const admin = other.people.admin;
  const seen: string[] = [];
  for (let query = '?limit=1'; query; ) {
    const { body, headers } = await call('GET', `/bounces${query}`, undefined, admin);
    seen.push(...(body as { address: string }[]).map(({ address }) => address));
    const next = /<.*?\?(.*)>/.exec(headers.get('link') ?? '')?.[1];
    query = next ? `?${next}` : '';
  }
  expect(seen.sort()).toEqual(addresses.sort());
  const lift = (as = admin) => call('POST', '/bounces/lift', { address: addresses[0] }, as);
  expect((await lift(box.people.admin)).status).toBe(404);
  expect((await lift()).status).toBe(204);
  expect((await lift()).status).toBe(404);
});
