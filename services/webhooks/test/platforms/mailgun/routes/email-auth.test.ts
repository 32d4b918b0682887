import { randomBytes } from 'node:crypto';
import { integrationDeleted } from '@botyard/contracts/events/tenancy';
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

beforeAll(async () => {
  fixture = await openMailFixture();
  box = await newBox(fixture);
});
afterAll(() => fixture?.harness.close());

const grantsOf = ({ correspondent }: { correspondent: string }) =>
  fixture.harness.asOwner<{ grant_id: string; kind: string; value: string; revoked_at: Date | null }>(
    'select grant_id, kind, value, revoked_at from webhooks.sender_grants where granted_by = $1 order by 1',
    [correspondent],
  );

/** Every sub-path, and a body where one is taken. */
const subPaths: readonly [method: string, path: string, body?: object][] = [
  ['POST', '/validate-token', {}],
  ['GET', '/check-tenant-access'],
  ['GET', '/authorization-groups'],
  ['POST', '/authorize-thread', { kind: 'sender' }],
  ['GET', '/authorized-threads'],
  ['GET', '/senders'],
  ['DELETE', '/senders/018f0000-0000-7000-8000-000000000000'],
];
const ofGranting = new Set(['/validate-token', '/authorize-thread']);

test.each(subPaths)('%s %s reveals and changes nothing without a good token', async (method, path, body) => {
  const link = await heldWithLink(fixture, box);
  const flipped = `${link.token.slice(0, -1)}${link.token.endsWith('0') ? '1' : '0'}`;
  const expired = await heldWithLink(fixture, box);
  await fixture.harness.asOwner(
    `update webhooks.sender_tokens set expires_at = now() - interval '1 second' where address = $1`,
    [expired.correspondent],
  );
  const bad = [
    ...[null, '', 'x', flipped, link.token.toUpperCase(), link.token.slice(1), `${link.token}0`],
    ...[randomBytes(24).toString('hex'), expired.token, "' or 1=1 --", link.threadId, 'ey.a.b'],
  ].filter((token) => token !== link.token);
  const answers = await Promise.all(bad.map((token) => withLink(fixture, token, method, path, body)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
    new Set(['401 {"error":"the link is not valid, or not any longer"}']),
  );
  expect(await statesOf(fixture, link)).toEqual(['held']);
  expect(await grantsOf(link)).toEqual([]);
  expect((await withLink(fixture, link.token, 'POST', '/validate-token', {})).status).toBe(200);
});

test.each([...ofGranting])('%s takes no link that was used, and answers as to any other', async (path) => {
  const link = await heldWithLink(fixture, box);
  expect((await withLink(fixture, link.token, 'POST', '/authorize-thread', {})).status).toBe(200);
  const { status, text } = await withLink(fixture, link.token, 'POST', path, {});
  expect([status, text]).toEqual([401, '{"error":"the link is not valid, or not any longer"}']);
});

test('a link shows its address each time it is opened, and is not used up by that', async () => {
  const link = await heldWithLink(fixture, box, { subject: 'My order' });
  for (let times = 0; times < 3; times += 1) {
    const { status, body } = await withLink(fixture, link.token, 'POST', '/validate-token', {});
    expect(status).toBe(200);
    expect(body).toEqual({
      address: link.correspondent,
      mailbox: box.address,
      botName: 'Support',
      threadId: link.threadId,
      subject: 'My order',
      expiresAt: expect.any(String),
    });
    const hours = (Date.parse(body.expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24.1);
  }
  const inBody = { token: link.token };
  expect((await withLink(fixture, null, 'POST', '/validate-token', inBody)).status).toBe(200);
});

test('the held mail is released by the grant, and later mail is admitted immediately', async () => {
  const link = await heldWithLink(fixture, box);
  await putMail(fixture, link);
  const before = await withLink(fixture, link.token, 'GET', '/check-tenant-access');
  expect(before.body).toMatchObject({ hasAccess: false, by: [], canAuthorize: true });
  const { status, body } = await withLink(fixture, link.token, 'POST', '/authorize-thread', {});
  expect(status).toBe(200);
  expect(body).toMatchObject({ kind: 'sender', value: link.correspondent, releasedCount: 2 });
  expect(await statesOf(fixture, link)).toEqual(['admitted', 'admitted']);
  expect(await takeIn(fixture, box, link)).toBe(true);
  const after = await withLink(fixture, link.token, 'GET', '/check-tenant-access');
  expect(after.body).toMatchObject({ hasAccess: true, by: ['sender'], canAuthorize: false });
});

test('one of 20 simultaneous calls makes a grant, and the others are refused', async () => {
  const link = await heldWithLink(fixture, box);
  const kinds = ['sender', 'thread', 'group'];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      withLink(fixture, link.token, 'POST', '/authorize-thread', { kind: kinds[index % 3] }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array<number>(19).fill(401)]);
  expect(await grantsOf(link)).toHaveLength(1);
});

test('a domain can be allowed by people with an address there, unless everybody can get one', async () => {
  const own = await heldWithLink(fixture, box);
  const domain = own.correspondent.split('@')[1];
  const groups = () => withLink(fixture, own.token, 'GET', '/authorization-groups');
  expect((await groups()).body).toEqual([{ domain, hasAccess: false, canAuthorize: true }]);
  const allowed = await withLink(fixture, own.token, 'POST', '/authorize-thread', { kind: 'group' });
  expect(allowed.body).toMatchObject({ kind: 'group', value: domain });
  expect((await groups()).body).toEqual([{ domain, hasAccess: true, canAuthorize: false }]);
  const colleague = await newThread(fixture, box, { correspondent: newAddress(domain) });
  expect(await takeIn(fixture, box, colleague)).toBe(true);

  const atLarge = await heldWithLink(fixture, box, { correspondent: newAddress('gmail.com') });
  expect((await withLink(fixture, atLarge.token, 'GET', '/authorization-groups')).body).toEqual([]);
  const refused = await withLink(fixture, atLarge.token, 'POST', '/authorize-thread', { kind: 'group' });
  expect(refused.status).toBe(422);
  expect(await grantsOf(atLarge)).toEqual([]);
  expect((await withLink(fixture, atLarge.token, 'POST', '/authorize-thread', {})).status).toBe(200);
});

test('a body that names another address, bot, tenant or thread names nothing', async () => {
  const other = await newBox(fixture);
  const victim = await heldWithLink(fixture, other);
  const link = await heldWithLink(fixture, box);
  const named = { value: victim.threadId, threadId: victim.threadId, address: victim.correspondent };
  for (const [field, value] of Object.entries(named)) {
    const refused = await withLink(fixture, link.token, 'POST', '/authorize-thread', { [field]: value });
    expect([refused.status, refused.body.issues]).toMatchObject([
      400,
      [{ path: field, message: expect.stringMatching(/^unrecognized field/) }],
    ]);
  }
  const body = { kind: 'thread', botId: other.botId, tenantId: other.tenantId };
  const answer = await withLink(fixture, link.token, 'POST', '/authorize-thread', body);
  expect(answer.body).toMatchObject({ kind: 'thread', value: link.threadId });
  expect(await statesOf(fixture, victim)).toEqual(['held']);
});

test('only own threads are shown, and of them only those in which the address may write', async () => {
  const link = await heldWithLink(fixture, box, { subject: 'First' });
  const second = await newThread(fixture, box, { correspondent: link.correspondent, subject: 'Second' });
  await newThread(fixture, box, { subject: 'Of another' });
  const elsewhere = await newBox(fixture, { people: box.people });
  await newThread(fixture, elsewhere, { correspondent: link.correspondent, subject: 'With another bot' });
  const threads = async (query = '') => {
    const { body } = await withLink(fixture, link.token, 'GET', `/authorized-threads${query}`);
    return (body as { subject: string }[]).map(({ subject }) => subject);
  };
  expect(await threads()).toEqual([]);
  await withLink(fixture, link.token, 'POST', '/authorize-thread', { kind: 'thread' });
  expect(await threads()).toEqual(['First']);
  const again = await heldWithLinkOf(link.correspondent);
  await withLink(fixture, again, 'POST', '/authorize-thread', { kind: 'sender' });
  expect((await threads()).slice(1)).toEqual(['Second', 'First']);
  expect(await threads('?limit=1')).toHaveLength(1);
  expect(second.threadId).toBeTruthy();
});

/** A second link of the same address, as it comes a day later. */
async function heldWithLinkOf(correspondent: string): Promise<string> {
  await fixture.harness.asOwner(
    `update webhooks.sender_tokens set created_at = created_at - interval '25 hours' where address = $1`,
    [correspondent],
  );
  return (await heldWithLink(fixture, box, { correspondent, subject: 'Third' })).token;
}

test('the same link shows and revokes its own grants, and no others', async () => {
  const link = await heldWithLink(fixture, box);
  const other = await heldWithLink(fixture, box);
  for (const { token } of [link, other]) await withLink(fixture, token, 'POST', '/authorize-thread', {});
  const [own] = await grantsOf(link);
  const [foreign] = await grantsOf(other);
  const list = await withLink(fixture, link.token, 'GET', '/senders');
  expect(list.body).toEqual([
    { grantId: own?.grant_id, kind: 'sender', value: link.correspondent, createdAt: expect.any(String) },
  ]);
  const revoke = (grantId?: string) => withLink(fixture, link.token, 'DELETE', `/senders/${grantId}`);
  expect((await revoke(foreign?.grant_id)).status).toBe(404);
  expect((await grantsOf(other))[0]?.revoked_at).toBeNull();
  expect((await revoke(own?.grant_id)).status).toBe(204);
  expect((await revoke(own?.grant_id)).status).toBe(404);
  expect(await takeIn(fixture, box, link)).toBe(false);
  expect((await withLink(fixture, link.token, 'GET', '/senders')).body).toEqual([]);
});

test('a used link works for 30 more days, and no longer', async () => {
  const link = await heldWithLink(fixture, box);
  const { body } = await withLink(fixture, link.token, 'POST', '/authorize-thread', {});
  const days = (Date.parse(body.expiresAt) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThanOrEqual(30.1);
  await fixture.harness.asOwner(`update webhooks.sender_tokens set expires_at = now() where address = $1`, [
    link.correspondent,
  ]);
  for (const path of ['/senders', '/authorized-threads', '/check-tenant-access', '/authorization-groups'])
    expect((await withLink(fixture, link.token, 'GET', path)).status).toBe(401);
});

test('a bot that answers everybody shows it', async () => {
  const open = await newBox(fixture, { senderPolicy: 'open' });
  const link = await heldWithLink(fixture, open);
  const { body } = await withLink(fixture, link.token, 'GET', '/check-tenant-access');
  expect(body).toMatchObject({ hasAccess: true, by: ['open'] });
});

test('links end with the mailbox', async () => {
  const gone = await newBox(fixture);
  const link = await heldWithLink(fixture, gone);
  const path = `/api/bots/${gone.tenantId}/${gone.botId}/integrations/${gone.integrationId}`;
  expect((await fixture.tenancy.call('DELETE', path, { as: gone.people.admin })).status).toBe(204);
  await fixture.harness.settled('webhooks', integrationDeleted.owner);
  expect((await withLink(fixture, link.token, 'POST', '/authorize-thread', {})).status).toBe(401);
  expect((await withLink(fixture, link.token, 'GET', '/senders')).status).toBe(401);
  expect(await statesOf(fixture, link)).toEqual(['held']);
});

test('no token is in any log', async () => {
  const link = await heldWithLink(fixture, box);
  for (const [method, path, body] of subPaths) await withLink(fixture, link.token, method, path, body);
  await withLink(fixture, null, 'POST', '/validate-token', { token: link.token });
  expect(fixture.harness.logLines.join('\n')).not.toContain(link.token);
});
