import { randomUUID } from 'node:crypto';
import { accessChanged } from '@botyard/contracts/events/tenancy';
import { invitationRoutes } from '@botyard/contracts/http/invitations';
import type { Identity } from '@botyard/contracts/identity';
import { eventually } from '@botyard/testing/eventually';
import { type FakeMailer, startFakeMailer } from '@botyard/testing/fake-mailer';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deleteOldMails } from '../../../src/installation-mails/domain/send-mails.ts';
import { invitationMails } from '../../../src/invitations/domain/send-mail.ts';
import { isMailDue } from '../../../src/invitations/store/mails.ts';
import { callOk, emitted, openPlatform, type Platform, startWebhooks } from '../../whole-platform.ts';

const apiKey = 'mailer-key-0123456789';
let platform: Platform;
let mailer: FakeMailer;

beforeAll(async () => {
  [platform, mailer] = await Promise.all([openPlatform(), startFakeMailer({ apiKey })]);
  await startWebhooks(platform, 'https://hooks.example.com', {
    MAILER_API_URL: mailer.url,
    MAILER_API_KEY: apiKey,
    MAILER_DOMAIN: 'bots.example',
  });
});
afterAll(async () => {
  await platform?.close();
  await mailer?.close();
});
// Each test has the whole day and hour of the tenant.
beforeEach(async () => {
  await platform.harness.asOwner('delete from webhooks.link_counts');
  await platform.harness.asOwner('delete from webhooks.mail_day_counts');
});

const invitationsOf = (tenantId: string) => `/api/bots/tenants/${tenantId}/invitations`;
const membersOf = (tenantId: string) => `/api/bots/tenants/${tenantId}/members`;
const own = '/api/auth/invitations';
const newAddress = () => `anna-${randomUUID()}@people.example`;
const asAdmin = (method: string, path: string, body?: unknown) =>
  platform.tenancy.call(method, path, { as: platform.acme.admin, body });
const invite = (body: object = {}) =>
  asAdmin('POST', invitationsOf(platform.acme.tenantId), { email: newAddress(), role: 'member', ...body });
const accept = (as: Identity, invitationId: string) =>
  platform.tenancy.call('POST', `${own}/${invitationId}/accept`, { as });
const mailsTo = (address: string) => mailer.sent.all.filter(({ to }) => to.includes(address));

/** Somebody whom the identity provider knows by an address, signed in. */
async function signedIn(
  email: string,
  { isVerified = true }: { isVerified?: boolean } = {},
): Promise<{ as: Identity; idpUserId: string }> {
  const record = platform.idp.addUser({ email, firstName: 'Anna', lastName: 'Keller' });
  if (!isVerified) record.email_addresses[0]!.verification.status = 'unverified';
  const as = user(record.id, { email, name: 'Anna Keller' });
  await callOk(platform.tenancy, 'GET', '/api/current-user', { as });
  return { as, idpUserId: record.id };
}

const age = (invitationId: string, set: string) =>
  platform.harness.asOwner(`update tenancy.invitations set ${set} where invitation_id = $1`, [invitationId]);

test('an invited person gets one mail in plain text, sees the invitation after signing in, and is a member once they accept', async () => {
  const { acme, tenancy } = platform;
  const address = newAddress();
  const made = await invite({ email: address.toUpperCase(), role: 'admin', language: 'de-AT' });
  expect([made.status, made.body]).toMatchObject([
    201,
    { email: address, role: 'admin', state: 'pending', mail: 'sent', mailProblem: null, endedAt: null },
  ]);
  const { invitationId, link } = made.body;
  expect(mailsTo(address)).toHaveLength(1);
  const [mail] = mailsTo(address);
  expect(mail).toMatchObject({ from: 'no-reply@bots.example', subject: 'Sie sind zu Acme eingeladen' });
  expect(mail?.html).toBeUndefined();
  expect(mail?.text).toContain(link);
  expect(mail?.headers).toMatchObject({ 'Content-Language': 'de', 'Auto-Submitted': 'auto-generated' });

  const anna = await signedIn(address.toUpperCase());
  const { body: listed } = await tenancy.call('GET', own, { as: anna.as });
  expect(listed).toMatchObject([
    { invitationId, tenantId: acme.tenantId, tenantName: 'Acme', role: 'admin' },
  ]);
  const accepted = await accept(anna.as, invitationId);
  expect([accepted.status, accepted.body]).toEqual([200, listed[0]]);
  expect((await accept(anna.as, invitationId)).status).toBe(200);
  expect((await tenancy.call('GET', own, { as: anna.as })).body).toEqual([]);
  const { tenants } = await callOk(tenancy, 'GET', '/api/current-user', { as: anna.as });
  expect(tenants).toEqual([{ tenantId: acme.tenantId, role: 'admin' }]);
  const announced = (await emitted(platform, accessChanged)).filter(
    (event) => event.idpUserId === anna.idpUserId,
  );
  expect(announced).toEqual([{ idpUserId: anna.idpUserId, tenantId: acme.tenantId }]);
  const { body: members } = await asAdmin('GET', `${membersOf(acme.tenantId)}?q=${address}`);
  expect(members).toMatchObject([{ email: address.toUpperCase(), name: 'Anna Keller' }]);
  expect((await invite({ email: address })).body).toEqual({
    error: 'a member of the tenant has this address',
  });
});

test('a person whose address the identity provider has not verified can neither see nor use its invitation', async () => {
  const address = newAddress();
  const { invitationId } = (await invite({ email: address })).body;
  const strangers = [
    await signedIn(address, { isVerified: false }),
    await signedIn(newAddress()),
    // A token's word alone proves no address.
    { as: user(`user_${randomUUID()}`, { email: address }) },
    { as: user(`user_${randomUUID()}`) },
  ];
  for (const { as } of strangers) {
    expect((await platform.tenancy.call('GET', own, { as })).body).toEqual([]);
    for (const verb of ['accept', 'decline']) {
      const answer = await platform.tenancy.call('POST', `${own}/${invitationId}/${verb}`, { as });
      expect([answer.status, answer.body]).toEqual([404, { error: 'invitation not found' }]);
    }
    const { tenants } = await callOk(platform.tenancy, 'GET', '/api/current-user', { as });
    expect(tenants).toEqual([]);
  }
});

test('letters that only look like those of an address are another address', async () => {
  const local = `kim-${randomUUID()}`;
  const { invitationId } = (await invite({ email: `${local}@people.example` })).body;
  const { as } = await signedIn(`${local.replace('k', '\u212a')}@people.example`);
  expect((await accept(as, invitationId)).status).toBe(404);
});

test('a revoked, declined or expired invitation can no longer be accepted', async () => {
  const address = newAddress();
  const anna = await signedIn(address);
  const path = invitationsOf(platform.acme.tenantId);
  const first = (await invite({ email: address })).body.invitationId;
  for (const _ of [1, 2]) expect((await asAdmin('DELETE', `${path}/${first}`)).status).toBe(204);
  expect((await accept(anna.as, first)).body).toEqual({ error: 'the invitation is revoked' });
  const second = (await invite({ email: address })).body.invitationId;
  await age(second, `expires_at = now()`);
  expect((await accept(anna.as, second)).body).toEqual({ error: 'the invitation has expired' });
  expect((await asAdmin('DELETE', `${path}/${second}`)).body).toEqual({ error: 'the invitation is expired' });
  const third = (await invite({ email: address })).body.invitationId;
  for (const _ of [1, 2])
    expect((await platform.tenancy.call('POST', `${own}/${third}/decline`, { as: anna.as })).status).toBe(
      204,
    );
  expect((await accept(anna.as, third)).body).toEqual({ error: 'the invitation is declined' });
  expect((await asAdmin('POST', `${path}/${third}/resend`)).body).toEqual({
    error: 'the invitation is declined',
  });
  const { body } = await asAdmin('GET', `${path}?q=${address}&sort=createdAt`);
  expect(body.map(({ state }: { state: string }) => state)).toEqual(['revoked', 'expired', 'declined']);
  const expired = await asAdmin('GET', `${path}?q=${address}&state=expired`);
  expect(expired.body).toMatchObject([{ invitationId: second }]);
  const { tenants } = await callOk(platform.tenancy, 'GET', '/api/current-user', { as: anna.as });
  expect(tenants).toEqual([]);
});

test('if accepting and revoking run concurrently one wins, and the membership matches the invitation', async () => {
  for (let round = 0; round < 5; round += 1) {
    const address = newAddress();
    const anna = await signedIn(address);
    const { invitationId } = (await invite({ email: address })).body;
    const path = `${invitationsOf(platform.acme.tenantId)}/${invitationId}`;
    const [accepted] = await Promise.all([accept(anna.as, invitationId), asAdmin('DELETE', path)]);
    const { tenants } = await callOk(platform.tenancy, 'GET', '/api/current-user', { as: anna.as });
    const { body } = await asAdmin('GET', `${invitationsOf(platform.acme.tenantId)}?q=${address}`);
    expect([body[0].state, tenants.length]).toEqual(
      accepted.status === 200 ? ['accepted', 1] : ['revoked', 0],
    );
  }
});

test('an address has one pending invitation of a tenant, also with ten simultaneous requests', async () => {
  const email = newAddress();
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await invite({ email })).status),
  );
  expect(statuses.sort()).toEqual([201, ...Array(9).fill(409)]);
  expect(mailsTo(email)).toHaveLength(1);
});

test('an invitation reveals nothing to an admin about a person who has not accepted yet', async () => {
  const address = newAddress();
  const { as, idpUserId } = await signedIn(address);
  await callOk(platform.tenancy, 'POST', membersOf(platform.acme.tenantId), {
    as: platform.acme.admin,
    body: { idpUserId, role: 'member' },
  });
  const made = await invite({ email: address, role: 'admin' });
  expect(made.status).toBe(201);
  const { body: members } = await asAdmin('GET', `${membersOf(platform.acme.tenantId)}?q=${address}`);
  expect(members).toEqual([]);
  expect((await accept(as, made.body.invitationId)).status).toBe(200);
  const { tenants } = await callOk(platform.tenancy, 'GET', '/api/current-user', { as });
  expect(tenants).toEqual([{ tenantId: platform.acme.tenantId, role: 'member' }]);
});

test('a mail is sent again at most once in a minute, and three times a day to one address', async () => {
  const email = newAddress();
  const { invitationId } = (await invite({ email })).body;
  const path = `${invitationsOf(platform.acme.tenantId)}/${invitationId}/resend`;
  const early = await asAdmin('POST', path);
  expect([early.status, early.body]).toEqual([
    409,
    { error: 'this mail was requested within the last minute: try again later' },
  ]);
  for (const mail of ['sent', 'sent', 'queued']) {
    await age(invitationId, `mail_asked_at = now() - interval '1 minute'`);
    const again = await asAdmin('POST', path);
    expect([again.status, again.body.mail]).toEqual([200, mail]);
  }
  expect(mailsTo(email)).toHaveLength(3);
  expect(new Set(mailsTo(email).map(({ headers }) => headers['Message-Id'])).size).toBe(3);
});

test('a mail counts in the day of the installation’s account', async () => {
  const { harness, acme } = platform;
  await invite();
  const [row] = await harness.asOwner<{ hits: number }>(
    'select hits from webhooks.mail_day_counts where tenant_id = $1',
    [acme.tenantId],
  );
  expect(row?.hits).toBe(1);
  await harness.asOwner('update webhooks.mail_day_counts set hits = 500 where tenant_id = $1', [
    acme.tenantId,
  ]);
  const email = newAddress();
  const { body } = await invite({ email });
  expect(body).toMatchObject({ mail: 'queued', mailProblem: expect.stringContaining('500 mails') });
  expect(mailsTo(email)).toEqual([]);
});

test('a mailer that takes no mail now gets it later, with the same Message-Id', async () => {
  const email = newAddress();
  mailer.fail('send', { status: 429, headers: { 'retry-after': '1' }, body: { message: 'slower' } });
  const { invitationId, mail } = (await invite({ email })).body;
  expect(mail).toBe('queued');
  await age(invitationId, 'mail_due_at = now()');
  const path = `${invitationsOf(platform.acme.tenantId)}?q=${email}`;
  const sent = await eventually('it is known to be sent', async () =>
    (await asAdmin('GET', path)).body.find((one: { mail: string }) => one.mail === 'sent'),
  );
  expect(sent.mailProblem).toBeNull();
  expect(mailsTo(email)).toHaveLength(1);
});

test.each(['tenancy.mails.claimed', 'tenancy.mails.sent'])(
  'after a process dies at %s its mail is sent, at most twice, as the same mail',
  async (failpoint) => {
    const { harness, messenger, idp, acme } = platform;
    const email = newAddress();
    const crashing = await harness.startProcess('tenancy', {
      MESSENGER_API_URL: messenger.url,
      IDP_API_URL: idp.url,
      FAILPOINTS: `${failpoint}:crash`,
    });
    await expect(
      crashing.call('POST', invitationsOf(acme.tenantId), {
        as: acme.admin,
        body: { email, role: 'member' },
      }),
    ).rejects.toThrow();
    await crashing.ended;
    await harness.asOwner('update tenancy.invitations set mail_due_at = now() where email = $1', [email]);
    const sent = failpoint.endsWith('sent') ? 2 : 1;
    await eventually('it is sent', async () => mailsTo(email).length === sent);
    expect(new Set(mailsTo(email).map(({ headers }) => headers['Message-Id'])).size).toBe(1);
  },
);

test('a mail whose outcome is unknown twice is not sent a third time', async () => {
  const { invitationId, email } = (await invite()).body;
  await age(invitationId, `mail = 'queued', mail_sends = 2, mail_due_at = now()`);
  const path = `${invitationsOf(platform.acme.tenantId)}?q=${email}`;
  await eventually('it is given up', async () => (await asAdmin('GET', path)).body[0].mail === 'uncertain');
  expect(mailsTo(email)).toHaveLength(1);
});

test('the mail of an expired invitation is never retried, and delays no other', async () => {
  const [over, waiting] = [(await invite()).body, (await invite()).body];
  await age(
    over.invitationId,
    `mail = 'queued', mail_due_at = now() - interval '1 hour', expires_at = now()`,
  );
  await age(waiting.invitationId, `mail = 'queued', mail_sends = 0, mail_due_at = now()`);
  await eventually('the other is sent', () => mailsTo(waiting.email).length === 2);
  const [now] = await platform.harness.asOwner<{ due: boolean }>(`select ${isMailDue} as due`);
  expect(now).toEqual({ due: false });
  expect(mailsTo(over.email)).toHaveLength(1);
});

test('the identity provider is not asked about an invitation that is not there', async () => {
  const { as, idpUserId } = await signedIn(newAddress());
  const callCount = () => platform.idp.calls.all.filter(({ path }) => path?.includes(idpUserId)).length;
  const before = callCount();
  expect((await accept(as, randomUUID())).status).toBe(404);
  expect(callCount()).toBe(before);
});

test('an invitation is forgotten 90 days after its end, and not before', async () => {
  const [old, recent] = [(await invite()).body.invitationId, (await invite()).body.invitationId];
  await age(old, `expires_at = now() - interval '91 days'`);
  await age(recent, `expires_at = now() - interval '89 days'`);
  await deleteOldMails({ database: platform.harness.databaseAs('tenancy') }, invitationMails);
  const left = await platform.harness.asOwner<{ invitation_id: string }>(
    'select invitation_id from tenancy.invitations where invitation_id = any ($1)',
    [[old, recent]],
  );
  expect(left).toEqual([{ invitation_id: recent }]);
});

test('a tenant has 200 pending invitations', async () => {
  const { harness, other, tenancy } = platform;
  await harness.asOwner(
    `insert into tenancy.invitations (tenant_id, invitation_id, email, role, language, mail_id, expires_at)
     select $1, gen_random_uuid(), n || '@full.example', 'member', 'en', gen_random_uuid(), now() + interval '1 day'
     from generate_series(1, 200) n`,
    [other.tenantId],
  );
  const call = () =>
    tenancy.call('POST', invitationsOf(other.tenantId), {
      as: other.admin,
      body: { email: newAddress(), role: 'member' },
    });
  expect((await call()).body).toEqual({ error: expect.stringContaining('at most 200 pending invitations') });
  await harness.asOwner(`update tenancy.invitations set expires_at = now() where email = '7@full.example'`);
  expect((await call()).status).toBe(201);
});

test.each([
  ['no address', { email: undefined }, 'email'],
  ['a name beside the address', { email: 'Anna <anna@people.example>' }, 'email'],
  ['two addresses', { email: 'a@x.example,b@x.example' }, 'email'],
  ['a line break', { email: 'a@x.example\r\nBcc: b@x.example' }, 'email'],
  ['a long address', { email: `${'a'.repeat(250)}@x.example` }, 'email'],
  ['an unknown role', { role: 'owner' }, 'role'],
  ['a language that is none', { language: 'de\r\nX: 1' }, 'language'],
])('%s is 400 with the field', async (_what, body, path) => {
  const answer = await invite(body);
  expect([answer.status, answer.body.issues]).toMatchObject([400, [{ path }]]);
});

test('only admins and operators see or change invitations', async () => {
  const { tenancy, acme, other } = platform;
  const { invitationId } = (await invite()).body;
  for (const { method, path } of Object.values(invitationRoutes)) {
    const address = `/api/bots${path}`
      .replace(':tenantId', acme.tenantId)
      .replace(':invitationId', invitationId);
    const statuses = [];
    for (const as of [null, acme.stranger, acme.member, other.admin])
      statuses.push((await tenancy.call(method.toUpperCase(), address, { as })).status);
    expect([path, statuses]).toEqual([path, [401, 403, 403, 403]]);
  }
  await callOk(tenancy, 'GET', invitationsOf(acme.tenantId), { as: acme.operator });
});

test('people who are deleted at the identity provider leave no invitation with their address, and none that names them', async () => {
  const { tenancy, acme, harness } = platform;
  const [inviter, invited] = [await signedIn(newAddress()), newAddress()];
  await callOk(tenancy, 'POST', membersOf(acme.tenantId), {
    as: acme.admin,
    body: { idpUserId: inviter.idpUserId, role: 'admin' },
  });
  const anna = await signedIn(invited);
  const made = await callOk(tenancy, 'POST', invitationsOf(acme.tenantId), {
    as: inviter.as,
    body: { email: invited, role: 'member' },
  });
  await callOk(tenancy, 'DELETE', `/api/idp-admin/users/${inviter.idpUserId}`, { as: acme.operator });
  const { body } = await asAdmin('GET', `${invitationsOf(acme.tenantId)}?q=${invited}`);
  expect(body).toMatchObject([{ invitationId: made.invitationId, invitedBy: null }]);
  await callOk(tenancy, 'DELETE', `/api/idp-admin/users/${anna.idpUserId}`, { as: acme.operator });
  expect(await harness.asOwner('select from tenancy.invitations where email = $1', [invited])).toEqual([]);
});

test('no log contains an address that was invited', async () => {
  const { email } = (await invite()).body;
  expect(platform.harness.logLines.filter((line) => line.includes(email))).toEqual([]);
});
