import { randomUUID } from 'node:crypto';
import type { People } from '@botyard/testing/people';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOk, openPlatform, type Platform, startAgents } from '../../whole-platform.ts';

const path = '/api/bots/available-agents';
let platform: Platform;
let agents: TestService;

beforeAll(async () => {
  platform = await openPlatform();
  agents = await startAgents(platform);
});
afterAll(() => platform?.close());

async function createAgent({ admin, tenantId }: People, description = ''): Promise<string> {
  // The admin may administer several tenants by now.
  await callOk(platform.tenancy, 'POST', '/api/tenant/select', {
    as: admin,
    body: { tenantId },
    status: 200,
  });
  const body = { name: 'Guide', description, instructions: 'Secret.', provider: 'openai', model: 'any' };
  return (await callOk(agents, 'POST', '/api/definitions/agents', { as: admin, body })).id;
}

test('the agents of the administered tenants can be chosen, in pages, and no others', async () => {
  const { tenancy, acme, other } = platform;
  const own = [await createAgent(acme, 'First'), await createAgent(acme)];
  await createAgent(other);
  const first = await tenancy.call('GET', `${path}?limit=1`, { as: acme.admin });
  expect(first.body).toEqual([{ agentId: own[1], tenantId: acme.tenantId, name: 'Guide', description: '' }]);
  const next = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await tenancy.call('GET', next, { as: acme.admin });
  expect(second.body).toEqual([
    { agentId: own[0], tenantId: acme.tenantId, name: 'Guide', description: 'First' },
  ]);
  expect(second.headers.get('link')).toBe(null);
  expect(first.text + second.text).not.toContain('Secret');
});

test('a tenant narrows within the administered ones; any other is 403, whether it exists or not', async () => {
  const { tenancy, acme, other } = platform;
  const second = (
    await callOk(tenancy, 'POST', '/api/bots/tenants', { as: acme.admin, body: { name: 'Second' } })
  ).tenantId;
  const agentId = await createAgent({ ...acme, tenantId: second });
  const narrowed = await callOk(tenancy, 'GET', `${path}?tenantId=${second}`, { as: acme.admin });
  expect(narrowed.map((agent: { agentId: string }) => agent.agentId)).toEqual([agentId]);
  expect(await callOk(tenancy, 'GET', path, { as: acme.admin })).toHaveLength(3);
  const refused = await Promise.all(
    [other.tenantId, randomUUID()].map((tenantId) =>
      tenancy.call('GET', `${path}?tenantId=${tenantId}`, { as: acme.admin }),
    ),
  );
  expect(refused.map(({ status }) => status)).toEqual([403, 403]);
  expect(refused[0]?.text).toBe(refused[1]?.text);
});

test('a caller who administers no tenant is refused, an operator too', async () => {
  const { tenancy, acme } = platform;
  const statuses = [];
  for (const as of [null, acme.stranger, acme.member, acme.operator])
    statuses.push((await tenancy.call('GET', path, { as })).status);
  expect(statuses).toEqual([401, 403, 403, 403]);
});

test('agents whose descriptions fill more than a message of the bus are listed in shorter pages, none lost', async () => {
  const { harness, tenancy, acme } = platform;
  await harness.asOwner(
    `insert into agents.agent_definitions (tenant_id, id, name, description, instructions, provider, model, keywords)
     select $1, gen_random_uuid(), 'Long', repeat('語', 2000), '', 'openai', 'any', '{}' from generate_series(1, 300)`,
    [acme.tenantId],
  );
  const seen = new Set<string>();
  let pages = 0;
  for (let next: string | undefined = `${path}?limit=500&tenantId=${acme.tenantId}`; next; pages += 1) {
    const { status, body, headers } = await tenancy.call('GET', next, { as: acme.admin });
    expect(status).toBe(200);
    for (const { agentId } of body) seen.add(agentId);
    next = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(seen.size).toBe(302);
  expect(pages).toBeGreaterThan(1);
});
