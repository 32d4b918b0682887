import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { Definitions, pathOfKind } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;
let other: Definitions;
let ids: string[];

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
  other = new Definitions(services, services.other);
  ids = [
    await publish('agent', { name: 'Refund desk', description: 'Für Rückgaben', keywords: ['invoice'] }),
    await publish('capability', { name: 'Invoices %', description: "It's refundable" }),
    await publish('tool', { name: 'refund_rate', description: 'Percent' }),
    await publish('agent', { name: '\u202eGärtner', description: '植物' }),
  ];
});

afterAll(() => services?.close());

async function publish(kind: keyof typeof pathOfKind, fields: object): Promise<string> {
  const { id } = await acme[kind](fields);
  await acme.post(`${pathOfKind[kind]}/${id}/publish`);
  return id;
}

/** Positions in `ids` of the results, most recently published first. */
async function find(query: string, people = other): Promise<number[]> {
  return (await people.get(`/marketplace?${query}`)).map(({ id }: { id: string }) => ids.indexOf(id));
}

describe('the marketplace', () => {
  test.each([
    ['', [3, 2, 1, 0]],
    ['kind=agent', [3, 0]],
    ['kind=tool', [2]],
    ['query=refund', [2, 1, 0]],
    ['query=REFUND%20invoice', [1, 0]],
    ['query=refund&kind=agent', [0]],
    ['query=inv', [1, 0]],
    ['query=g%C3%A4rt', [3]],
    ['query=%E6%A4%8D%E7%89%A9', [3]],
    ['query=nothing%20refund', []],
    ['query=%25', []],
    ["query='%20%7C%20!%20(%3A*", []],
    ["query=it's", [1]],
  ])('finds by %j the right ones, in order', async (query, due) => {
    expect(await find(query)).toEqual(due);
  });

  test.each(['query=%00', 'query=', `query=${'x'.repeat(201)}`, 'kind=bot', 'query=a&query=b'])(
    'answers %j with 400',
    async (query) => {
      const { status, body } = await other.call('GET', `/marketplace?${query}`);
      expect([status, body.issues.length]).toEqual([400, 1]);
    },
  );

  test('is paged with its filter, and a definition that is published again comes first', async () => {
    await acme.put(`/agents/${ids[0]}`, { description: 'Changed' });
    await acme.post(`/agents/${ids[0]}/publish`);
    const first = await other.call('GET', '/marketplace?limit=1&kind=agent');
    expect(first.body[0].id).toBe(ids[0]);
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(next).toContain('kind=agent');
    const second = await services.agents.call('GET', next, { as: services.other.admin });
    expect([second.body.map(({ id }: { id: string }) => id), second.headers.get('link')]).toEqual([
      [ids[3]],
      null,
    ]);
  });

  test('is for members of a tenant, in any role', async () => {
    const { member, stranger } = services.other;
    expect((await other.call('GET', '/marketplace', undefined, member)).status).toBe(200);
    expect((await other.call('GET', '/marketplace', undefined, stranger)).status).toBe(400);
  });

  test('shortens a page that would be too large, and continues after it', async () => {
    const tool = await acme.tool();
    await services.harness.asOwner(
      `insert into agents.publications (tenant_id, kind, id, publication_id, version, name, description, summary, content, search_text)
       select $1, 'tool', gen_random_uuid(), ('00000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, 1, 'bulk',
         repeat('x', 200000), '{"runsOn": null, "capabilities": [], "tools": [], "hosts": []}', '{}', 'bulk'
       from generate_series(1, 5) number`,
      [tool.tenantId],
    );
    let path: string | undefined = '/api/definitions/marketplace?query=bulk';
    const sizes: number[] = [];
    while (path) {
      const page = await services.agents.call('GET', path, { as: services.other.admin });
      sizes.push(page.body.length);
      path = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(sizes).toEqual([1, 1, 1, 1, 1]);
  });

  test('shows nothing of a deleted tenant, even before that is purged, and refuses to copy it', async () => {
    const { tenantId, admin } = services.acme;
    const looksGone = async () => {
      expect(await other.get('/marketplace')).toEqual([]);
      expect((await other.call('POST', `/agents/${ids[0]}/copy`)).status).toBe(404);
    };
    // A tombstone that no purge looks at any more.
    await services.harness.asOwner(
      'insert into agents.deleted_tenants (tenant_id, purged_at) values ($1, now())',
      [tenantId],
    );
    await looksGone();
    await services.harness.asOwner('delete from agents.deleted_tenants');
    expect(await find('query=refund')).not.toEqual([]);
    const deleted = await services.tenancy.call('DELETE', `/api/bots/tenants/${tenantId}`, { as: admin });
    expect(deleted.status).toBe(204);
    await services.harness.settled('agents', 'tenancy');
    await looksGone();
  });
});
