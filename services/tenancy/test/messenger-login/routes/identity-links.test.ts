import { randomInt, randomUUID } from 'node:crypto';
import { identityChanged } from '@botyard/contracts/events/webhooks-identity';
import type { Identity } from '@botyard/contracts/identity';
import { anonymous, user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { link, openLoginServices, widgetFields } from '../../login-browser.ts';
import type { TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
beforeAll(async () => {
  services = await openLoginServices();
});
afterAll(() => services?.close());

const newPerson = () => user(`user_${randomUUID().replaceAll('-', '')}`);
const path = '/api/identity-links';
const own = async (as: Identity) => (await services.tenancy.call('GET', `${path}/own`, { as })).body;
const unlink = (as: Identity, linkId: string) => services.tenancy.call('DELETE', `${path}/${linkId}`, { as });
const userIdOf = async (as: Identity) =>
  (await services.tenancy.call('GET', '/api/current-user', { as })).body.userId as string;

test('an account is linked to the caller by a login that the platform signed', async () => {
  const person = newPerson();
  const id = randomInt(1e9, 1e10);
  const answer = await link(services, person, widgetFields({ id, first_name: 'Anna', last_name: 'Keller' }));
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      linkId: expect.any(String),
      userId: await userIdOf(person),
      platform: 'messenger',
      platformUserId: String(id),
      name: 'Anna Keller',
      username: 'anna',
      createdAt: expect.any(String),
    },
  ]);
  expect(await own(person)).toEqual([answer.body]);
});

test('linking requires both proofs: a session, and a signature that is fresh, for our bot and used for the first time', async () => {
  const person = newPerson();
  const fields = widgetFields();
  expect((await link(services, anonymous, fields)).status).toBe(401);
  expect((await link(services, null, fields)).status).toBe(401);
  for (const bad of [
    { ...fields, hash: '0'.repeat(64) },
    { ...fields, id: '42' },
    widgetFields({}, `7123456789:${'M'.repeat(35)}`),
    widgetFields({ auth_date: Math.floor(Date.now() / 1000) - 360 }),
  ])
    expect((await link(services, person, bad)).status).toBe(401);
  expect((await link(services, person, fields)).status).toBe(201);
  const [{ linkId }] = await own(person);
  await unlink(person, linkId);
  expect((await link(services, person, fields)).status).toBe(401);
  expect(await own(person)).toEqual([]);
});

test('people link only for themselves, for any body', async () => {
  const [admin, victim] = [services.acme.admin, await userIdOf(newPerson())];
  const body = {
    platform: 'messenger',
    login: widgetFields(),
    userId: victim,
    tenantId: services.other.tenantId,
  };
  const answer = await services.tenancy.call('POST', path, { as: admin, body });
  expect(answer.body.userId).toBe(await userIdOf(admin));
  await unlink(admin, answer.body.linkId);
});

test('an account belongs to one person; the second learns nothing about the first, also with simultaneous requests', async () => {
  const id = randomInt(1e9, 1e10);
  const people = [newPerson(), newPerson(), newPerson()];
  const answers = await Promise.all(people.map((as) => link(services, as, widgetFields({ id }))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const again = await link(
    services,
    people[answers.findIndex(({ status }) => status === 201)]!,
    widgetFields({ id }),
  );
  const refused = answers.filter(({ status }) => status === 409);
  expect(new Set([...refused, again].map(({ text }) => text)).size).toBe(1);
});

test('a person has ten accounts at most, also with simultaneous requests', async () => {
  const person = newPerson();
  await userIdOf(person);
  const answers = await Promise.all(Array.from({ length: 14 }, () => link(services, person, widgetFields())));
  expect(answers.filter(({ status }) => status === 201).length).toBe(10);
  expect(answers.filter(({ status }) => status === 409).length).toBe(4);
});

test('its owner unlinks an account, an operator may; to everybody else it is not there', async () => {
  const { acme, other } = services;
  const links = [];
  for (let count = 0; count < 2; count += 1) {
    links.push((await link(services, acme.member, widgetFields())).body);
  }
  for (const as of [acme.admin, acme.stranger, other.admin]) {
    const [foreign, missing] = [await unlink(as, links[0].linkId), await unlink(as, randomUUID())];
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  }
  expect((await unlink(acme.member, links[0].linkId)).status).toBe(204);
  expect((await unlink(acme.operator, links[1].linkId)).status).toBe(204);
  const { platformUserId } = links[0];
  expect((await link(services, newPerson(), widgetFields({ id: platformUserId }))).status).toBe(201);
});

test("an admin sees only the accounts of the tenant's people, page by page", async () => {
  const { acme, other } = services;
  const made = [];
  for (const as of [acme.member, acme.member, acme.admin])
    made.push((await link(services, as, widgetFields())).body);
  await link(services, other.member, widgetFields());
  const list = (query: string, as: Identity = acme.admin) =>
    services.tenancy.call('GET', `${path}${query}`, { as });
  expect((await list('')).body).toEqual(made.toReversed());
  expect((await list('?limit=2')).body).toEqual(made.toReversed().slice(0, 2));
  const next = (await list('?limit=2')).headers.get('link') ?? '';
  const [, query] = /\?([^>]+)>/.exec(next) ?? [];
  expect((await list(`?${query}`)).body).toEqual([made[0]]);
  expect((await list(`?userId=${made[2].userId}`)).body).toEqual([made[2]]);
  expect((await list('?platform=email')).body).toEqual([]);
  expect((await list('', acme.member)).status).toBe(403);
});

test("a person's links are removed with them, so that the account can be linked by its next holder", async () => {
  const person = newPerson();
  const id = randomInt(1e9, 1e10);
  await link(services, person, widgetFields({ id }));
  const { idpUserId } = person as { idpUserId: string };
  await services.harness.publish(identityChanged, {
    kind: 'user.deleted',
    happenedAt: Date.now(),
    idpUserId,
  });
  await services.harness.settled('tenancy', 'webhooks');
  expect((await link(services, newPerson(), widgetFields({ id }))).status).toBe(201);
});
