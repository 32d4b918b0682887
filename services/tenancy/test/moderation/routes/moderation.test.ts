import { randomUUID } from 'node:crypto';
import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { maxMutes } from '@botyard/contracts/http/auth-chat-rules';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBot, emitted, openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let botId: string;
let foreignBotId: string;
let nextPerson = 1000;
const base = '/api/auth/moderation';

beforeAll(async () => {
  services = await openTenancyServices();
  botId = await createBot(services, services.acme);
  foreignBotId = await createBot(services, services.other);
});
afterAll(() => services?.close());

const call = (method: string, end = '', body?: unknown, as = services.acme.admin) =>
  services.tenancy.call(method, `${base}${end}`, { as, body });
const somebody = () => ({ platform: 'messenger', platformUserId: String(nextPerson++) });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const expire = (muteId: string) =>
  services.harness.asOwner(
    `update tenancy.mutes set until = now() - interval '1 second' where mute_id = $1`,
    [muteId],
  );
const announced = async () => (await emitted(services.harness, authorizationChanged)).length;

test('a person is muted, the mute is changed and taken back, and each change is announced with it', async () => {
  const before = await announced();
  const person = somebody();
  const until = inAnHour();
  const created = await call('POST', '', { ...person, botId, reason: ' spam ', until });
  expect(created.status).toBe(201);
  const { muteId } = created.body;
  expect(created.body).toEqual({
    ...person,
    muteId: expect.any(String),
    botId,
    reason: 'spam',
    until,
    createdBy: expect.any(String),
    createdAt: expect.stringMatching(/Z$/),
  });
  expect((await call('GET', `/${muteId}`)).body).toEqual(created.body);
  const changed = await call('PUT', `/${muteId}`, { until: null });
  expect(changed.body).toEqual({ ...created.body, until: null });
  expect((await call('PUT', `/${muteId}`, {})).body).toEqual(changed.body);
  expect((await call('DELETE', `/${muteId}`)).status).toBe(204);
  for (const method of ['GET', 'DELETE']) expect((await call(method, `/${muteId}`)).status).toBe(404);
  expect((await call('PUT', `/${muteId}`, {})).status).toBe(404);
  const events = await emitted(services.harness, authorizationChanged);
  expect(events.slice(before)).toEqual(Array(4).fill({ tenantId: services.acme.tenantId }));
});

test('the same mute again is 409; another bot, platform or all bots are another mute', async () => {
  const person = somebody();
  const otherBot = await createBot(services, services.acme);
  const email = { platform: 'email', platformUserId: `a${nextPerson++}@example.com` };
  for (const body of [person, { ...person, botId }, { ...person, botId: otherBot }, email]) {
    const before = await announced();
    expect((await call('POST', '', body)).status).toBe(201);
    expect((await call('POST', '', { ...body, reason: 'again' })).status).toBe(409);
    expect(await announced()).toBe(before + 1);
  }
});

test('ten equal simultaneous ones make one mute and nine conflicts, also for every bot', async () => {
  for (const body of [somebody(), { ...somebody(), botId }]) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('POST', '', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  }
});

test('an expired mute is replaced by a new one, is listed only on request, and begins again when its end moves', async () => {
  const person = somebody();
  const { muteId: old } = (await call('POST', '', person)).body;
  await expire(old);
  const filter = `?platformUserId=${person.platformUserId}`;
  expect((await call('GET', filter)).body).toEqual([]);
  const listed = (await call('GET', `${filter}&expired=true`)).body;
  expect(listed.map((mute: { muteId: string }) => mute.muteId)).toEqual([old]);
  const { status, body } = await call('POST', '', { ...person, reason: 'again' });
  expect([status, body.reason, body.until]).toEqual([201, 'again', null]);
  expect((await call('GET', `/${old}`)).status).toBe(404);
  await expire(body.muteId);
  await call('PUT', `/${body.muteId}`, { until: inAnHour() });
  expect((await call('GET', filter)).body).toHaveLength(1);
});

test('addresses are compared without regard to case', async () => {
  const name = `Anna${nextPerson++}@Example.COM`;
  const { body } = await call('POST', '', { platform: 'email', platformUserId: name });
  expect(body.platformUserId).toBe(name.toLowerCase());
  expect((await call('POST', '', { platform: 'email', platformUserId: name.toLowerCase() })).status).toBe(
    409,
  );
  expect((await call('GET', `?platformUserId=${encodeURIComponent(name)}`)).body).toHaveLength(1);
});

test.each([
  ['no platform', { platformUserId: '1' }, 'platform'],
  ['an unknown platform', { platform: 'pigeon', platformUserId: '1' }, 'platform'],
  ['nobody', { platform: 'messenger' }, 'platformUserId'],
  ['an empty name', { platform: 'messenger', platformUserId: '' }, 'platformUserId'],
  ['a name that is no number', { platform: 'messenger', platformUserId: '@anna' }, 'platformUserId'],
  ['a number with a zero in front', { platform: 'messenger', platformUserId: '007' }, 'platformUserId'],
  ['digits of another script', { platform: 'messenger', platformUserId: '١٢٣' }, 'platformUserId'],
  ['65 digits', { platform: 'messenger', platformUserId: '1'.repeat(65) }, 'platformUserId'],
  ['a hidden direction', { platform: 'messenger', platformUserId: '\u202E123' }, 'platformUserId'],
  ['no address', { platform: 'email', platformUserId: '123' }, 'platformUserId'],
  ['a long reason', { platform: 'messenger', platformUserId: '1', reason: 'x'.repeat(501) }, 'reason'],
  ['a past end', { platform: 'messenger', platformUserId: '1', until: '2020-01-01T00:00:00Z' }, 'until'],
  ['no moment', { platform: 'messenger', platformUserId: '1', until: 'tomorrow' }, 'until'],
  ['no bot identifier', { platform: 'messenger', platformUserId: '1', botId: 'superadmin' }, 'botId'],
])('%s is 400 with the field', async (_what, body, path) => {
  const answer = await call('POST', '', body);
  expect(answer.status).toBe(400);
  expect(answer.body.issues).toContainEqual(expect.objectContaining({ path }));
});

test('U+0000 is 400 in every field', async () => {
  for (const body of [
    { ...somebody(), reason: 'a\u0000' },
    { platform: 'messenger', platformUserId: '1\u0000' },
  ])
    expect((await call('POST', '', body)).status).toBe(400);
});

test('a bot of another tenant is 404 like a missing one, and nothing is announced', async () => {
  const before = await announced();
  const texts = new Set<string>();
  for (const named of [foreignBotId, randomUUID()]) {
    const answer = await call('POST', '', { ...somebody(), botId: named });
    expect(answer.status).toBe(404);
    texts.add(answer.text);
  }
  expect(texts.size).toBe(1);
  expect(await announced()).toBe(before);
});

test("another tenant's mute can be neither seen, changed nor deleted, and a tenant in the body selects nothing", async () => {
  const { acme, other } = services;
  const person = somebody();
  const { muteId } = (await call('POST', '', { ...person, tenantId: other.tenantId })).body;
  for (const [method, body] of [['GET'], ['PUT', { reason: 'mine' }], ['DELETE']] as const)
    expect((await call(method, `/${muteId}`, body, other.admin)).status).toBe(404);
  const theirs = await call('GET', '?expired=true', undefined, other.admin);
  expect(theirs.body).toEqual([]);
  expect((await call('POST', '', person, other.admin)).status).toBe(201);
  const rows = await services.harness.asOwner<{ tenant_id: string }>(
    'select tenant_id from tenancy.mutes where platform_user_id = $1 order by created_at',
    [person.platformUserId],
  );
  expect(rows.map((row) => row.tenant_id)).toEqual([acme.tenantId, other.tenantId]);
});

test('mutes are listed newest first in pages, narrowed by bot and platform', async () => {
  const ownBot = await createBot(services, services.acme);
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1)
    made.push((await call('POST', '', { ...somebody(), botId: ownBot })).body.muteId);
  const ids = (rows: { muteId: string }[]) => rows.map(({ muteId }) => muteId);
  const first = await call('GET', `?botId=${ownBot}&platform=messenger&limit=2`);
  expect(ids(first.body)).toEqual(made.toReversed().slice(0, 2));
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await services.tenancy.call('GET', next, { as: services.acme.admin });
  expect(ids(second.body)).toEqual(made.slice(0, 1));
  expect((await call('GET', `?botId=${ownBot}&platform=email`)).body).toEqual([]);
});

test('a tenant has a bounded number of mutes, and expired ones make room', async () => {
  const { harness, other } = services;
  await harness.asOwner(
    `insert into tenancy.mutes (tenant_id, mute_id, platform, platform_user_id)
     select $1, tenancy.new_id(), 'messenger', '9' || number from generate_series(1, $2::int
       - (select count(*)::int from tenancy.mutes where tenant_id = $1)) number`,
    [other.tenantId, maxMutes],
  );
  const full = await call('POST', '', somebody(), other.admin);
  expect([full.status, full.body]).toEqual([422, { error: 'the tenant has reached its limit of mutes' }]);
  await harness.asOwner(
    `update tenancy.mutes set until = now() where tenant_id = $1 and platform_user_id = '91'`,
    [other.tenantId],
  );
  const statuses = await Promise.all([1, 2, 3].map(() => call('POST', '', somebody(), other.admin)));
  expect(statuses.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
});

test('the mutes of a bot are deleted with it', async () => {
  const gone = await createBot(services, services.acme);
  const { muteId } = (await call('POST', '', { ...somebody(), botId: gone })).body;
  const path = `/api/bots/${services.acme.tenantId}/${gone}`;
  expect((await services.tenancy.call('DELETE', path, { as: services.acme.admin })).status).toBe(204);
  expect((await call('GET', `/${muteId}`)).status).toBe(404);
});
