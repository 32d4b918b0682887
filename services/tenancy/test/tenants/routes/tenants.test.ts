import { randomUUID } from 'node:crypto';
import { accessChanged } from '@botyard/contracts/events/tenancy';
import { anonymous, user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBot, emitted, openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;

beforeAll(async () => {
  services = await openTenancyServices();
});

afterAll(() => services?.close());

const newPerson = () => user(`user_${randomUUID().replaceAll('-', '')}`);

function create(as: ReturnType<typeof newPerson>, body: Record<string, unknown>) {
  return services.tenancy.call('POST', '/api/bots/tenants', { as, body });
}

async function countTenants(): Promise<number> {
  const rows = await services.harness.asOwner('select from tenancy.tenants');
  return rows.length;
}

const tenantsOf = async (as: ReturnType<typeof newPerson>) =>
  (await services.tenancy.call('GET', '/api/current-user', { as })).body.tenants;

describe('creating a tenant', () => {
  test('makes the caller its first admin if no other is named', async () => {
    const person = newPerson();
    const answer = await create(person, { name: '  Acme  ' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      tenantId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Acme',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await tenantsOf(person)).toEqual([{ tenantId: answer.body.tenantId, role: 'admin' }]);
    expect(await emitted(services.harness, accessChanged)).toContainEqual({
      idpUserId: (person as { idpUserId: string }).idpUserId,
      tenantId: answer.body.tenantId,
    });
  });

  test('makes a named person who is known here its only admin', async () => {
    const [caller, named] = [newPerson(), newPerson()];
    expect(await tenantsOf(named)).toEqual([]);
    const { idpUserId } = named as { idpUserId: string };
    const { status, body } = await create(caller, { name: 'Acme', initialAdminIdpUserId: idpUserId });
    expect(status).toBe(201);
    expect(await tenantsOf(named)).toEqual([{ tenantId: body.tenantId, role: 'admin' }]);
    expect(await tenantsOf(caller)).toEqual([]);
  });

  test('makes a named person its admin, even if only the identity provider knows them', async () => {
    const { id } = services.idp.addUser({ email: 'nora@example.test' });
    const { status, body } = await create(newPerson(), { name: 'Acme', initialAdminIdpUserId: id });
    expect(status).toBe(201);
    const { body: nora } = await services.tenancy.call('GET', '/api/current-user', { as: user(id) });
    expect(nora).toMatchObject({
      email: 'nora@example.test',
      tenants: [{ tenantId: body.tenantId, role: 'admin' }],
    });
  });

  test.each(['user_unknown', '../users', '..', '.', 'a/b', 'user_?x=1', '\ud800', '💥', ' '])(
    'answers 404 for the unknown person %j and stores nothing',
    async (initialAdminIdpUserId) => {
      const before = await countTenants();
      const answer = await create(newPerson(), { name: 'Acme', initialAdminIdpUserId });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({ error: 'user not found' });
      expect(await countTenants()).toBe(before);
    },
  );

  test('answers 503 and stores nothing while the identity provider is down', async () => {
    const before = await countTenants();
    services.idp.fail('users/{id}', { status: 500 });
    const body = { name: 'Acme', initialAdminIdpUserId: 'user_somebody' };
    const broken = await create(newPerson(), body);
    services.idp.fail('users/{id}', { cut: 'before' });
    const silent = await create(newPerson(), body);
    for (const answer of [broken, silent]) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(await countTenants()).toBe(before);
  });

  test('stores no tenant when its admin can not be stored', async () => {
    const before = await countTenants();
    await services.harness.asOwner(
      `alter table tenancy.memberships add constraint refuse check (role <> 'admin') not valid`,
    );
    try {
      expect((await create(newPerson(), { name: 'Acme' })).status).toBe(500);
    } finally {
      await services.harness.asOwner('alter table tenancy.memberships drop constraint refuse');
    }
    expect(await countTenants()).toBe(before);
  });

  test.each([
    ['no name', {}],
    ['an empty name', { name: '   ' }],
    ['a name of 10,000 characters', { name: 'n'.repeat(10_000) }],
    ['a name that is no text', { name: { $ne: null } }],
  ])('refuses %s with 400 that names the field', async (_what, body) => {
    const answer = await create(newPerson(), body);
    expect(answer.status).toBe(400);
    expect(answer.body.issues).toMatchObject([{ path: 'name' }]);
  });

  test('refuses a name with U+0000 with 400', async () => {
    expect((await create(newPerson(), { name: 'a\0b' })).status).toBe(400);
  });

  test.each(['شركة ‮evil', '👩‍👩‍👧‍👦🦄', "Robert'); drop table tenants;--", '\u200b', '<script>'])(
    'keeps the name %j as it was given',
    async (name) => {
      const { status, body } = await create(newPerson(), { name });
      expect(status).toBe(201);
      expect(body.name).toBe(name);
    },
  );

  test('needs a person', async () => {
    for (const as of [anonymous, null]) {
      const answer = await services.tenancy.call('POST', '/api/bots/tenants', { as, body: { name: 'x' } });
      expect(answer.status).toBe(401);
    }
  });
});

describe('reading and changing a tenant', () => {
  test('a tenant read by id includes its bots, the newest first', async () => {
    const person = newPerson();
    const { body: tenant } = await create(person, { name: 'Acme' });
    const people = { ...services.acme, tenantId: tenant.tenantId, admin: person };
    const path = `/api/bots/tenants/${tenant.tenantId}`;
    expect((await services.tenancy.call('GET', path, { as: person })).body).toEqual({ ...tenant, bots: [] });
    const first = await createBot(services, people);
    const second = await createBot(services, people);
    const { body } = await services.tenancy.call('GET', path, { as: person });
    expect(body.bots.map(({ botId }: { botId: string }) => botId)).toEqual([second, first]);
  });

  test('an update changes the fields that it carries and no other', async () => {
    const { acme, tenancy } = services;
    const path = `/api/bots/tenants/${acme.tenantId}`;
    const body = { name: 'New name', tenantId: randomUUID() };
    const renamed = await tenancy.call('PUT', path, { as: acme.admin, body });
    expect(renamed.body).toMatchObject({ tenantId: acme.tenantId, name: 'New name' });
    const forged = await tenancy.call('PUT', path, {
      as: acme.admin,
      body: { createdAt: '1970-01-01T00:00:00.000Z' },
    });
    expect([forged.status, forged.body.issues]).toMatchObject([
      400,
      [{ path: 'createdAt', message: expect.stringMatching(/^unrecognized field/) }],
    ]);
    const untouched = await tenancy.call('PUT', path, { as: acme.admin, body: {} });
    expect(untouched.body.name).toBe('New name');
    expect((await tenancy.call('PUT', path, { as: acme.admin, body: { name: '' } })).status).toBe(400);
  });
});

describe('the lists of tenants and bots', () => {
  const paths = ['/api/bots/tenants', '/api/bots'];

  test.each(paths)(
    '%s answers 403 to a caller without a tenant, a member and an operator alike',
    async (path) => {
      const { acme } = services;
      for (const as of [acme.member, acme.stranger, acme.operator, newPerson()]) {
        expect((await services.tenancy.call('GET', path, { as })).status).toBe(403);
      }
    },
  );

  test.each(paths)('%s answers 403 for a tenant outside, the same whether it exists', async (path) => {
    const { acme, other, tenancy } = services;
    const ask = (tenantId: string) =>
      tenancy.call('GET', `${path}?tenantId=${encodeURIComponent(tenantId)}`, { as: acme.admin });
    const answers = await Promise.all([other.tenantId, randomUUID(), 'nope'].map(ask));
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('contain the tenants that the caller administers and no other, and narrow to one of them', async () => {
    const person = newPerson();
    const tenants = [
      (await create(person, { name: 'One' })).body,
      (await create(person, { name: 'Two' })).body,
    ];
    const bots = [];
    for (const { tenantId } of tenants) {
      bots.push(await createBot(services, { ...services.acme, tenantId, admin: person }));
    }
    await createBot(services, services.other);
    const idsOf = async (path: string, name: string) => {
      const { body } = await services.tenancy.call('GET', path, { as: person });
      return body.map((item: Record<string, string>) => item[name]);
    };
    const [one, two] = tenants.map(({ tenantId }) => tenantId);
    expect(await idsOf('/api/bots/tenants', 'tenantId')).toEqual([two, one]);
    expect(await idsOf('/api/bots', 'botId')).toEqual(bots.toReversed());
    expect(await idsOf(`/api/bots/tenants?tenantId=${one}`, 'tenantId')).toEqual([one]);
    expect(await idsOf(`/api/bots?tenantId=${one.toUpperCase()}`, 'botId')).toEqual([bots[0]]);
  });

  test('have pages whose Link header leads through all of them', async () => {
    const person = newPerson();
    const { body: tenant } = await create(person, { name: 'Paged' });
    const people = { ...services.acme, tenantId: tenant.tenantId, admin: person };
    const bots = [];
    for (let count = 0; count < 5; count += 1) bots.push(await createBot(services, people));
    const seen: string[] = [];
    let path: string | undefined = `/api/bots?limit=2&tenantId=${tenant.tenantId}`;
    let pages = 0;
    while (path) {
      const answer = await services.tenancy.call('GET', path, { as: person });
      expect(answer.status).toBe(200);
      expect(Array.isArray(answer.body)).toBe(true);
      seen.push(...answer.body.map(({ botId }: { botId: string }) => botId));
      path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      pages += 1;
    }
    expect(seen).toEqual(bots.toReversed());
    expect(pages).toBe(3);
  });

  test.each(['limit=0', 'limit=501', 'limit=x', 'before=nonsense', 'before=%00'])(
    'refuse ?%s with 400',
    async (query) => {
      const { acme, tenancy } = services;
      const answer = await tenancy.call('GET', `/api/bots?${query}`, { as: acme.admin });
      expect(answer.status).toBe(400);
      expect(answer.body.issues).toHaveLength(1);
    },
  );
});
