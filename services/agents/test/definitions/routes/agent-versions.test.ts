import { randomUUID } from 'node:crypto';
import { withTenant } from '@botyard/shared/db/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { Definitions } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;
let other: Definitions;

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
  other = new Definitions(services, services.other);
});

afterAll(() => services?.close());

const versionsOf = (id: string, query = '') => acme.get(`/agents/${id}/versions${query}`);
const restore = (id: string, version: number | string) =>
  acme.call('POST', `/agents/${id}/versions/${version}/restore`);
const userId = async () => {
  const as = services.acme.admin;
  return (await services.tenancy.call('GET', '/api/current-user', { as })).body.userId;
};
/** As an agent is that was changed last before versions were kept. */
const forgetVersions = (id: string) =>
  services.harness.asOwner('delete from agents.agent_versions where agent_id = $1', [id]);

describe('versions of an agent', () => {
  test('are listed newest first, with their author, the differences, and the whole content', async () => {
    const { id, createdAt } = await acme.agent({ instructions: 'First.', keywords: ['a'] });
    const { updatedAt } = await acme.put(`/agents/${id}`, { instructions: 'Second.', keywords: ['b'] });
    const createdBy = await userId();
    const content = {
      name: 'Clerk',
      description: '',
      provider: 'openai',
      model: 'any',
      toolIds: [],
      capabilityIds: [],
      serverIds: [],
      keepsSummary: false,
      modelSettings: {},
    };
    expect(await versionsOf(id)).toEqual([
      {
        version: 2,
        createdAt: updatedAt,
        createdBy,
        restoredFrom: null,
        note: null,
        overrideReason: null,
        isCurrent: true,
        changed: ['instructions', 'keywords'],
        definition: { ...content, instructions: 'Second.', keywords: ['b'] },
        parts: { capabilities: [], tools: [] },
        contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      {
        version: 1,
        createdAt,
        createdBy,
        restoredFrom: null,
        note: null,
        overrideReason: null,
        isCurrent: false,
        changed: [],
        definition: { ...content, instructions: 'First.', keywords: ['a'] },
        parts: { capabilities: [], tools: [] },
        contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  test('are not made by a change that changes nothing, or by the switch', async () => {
    const { id } = await acme.agent();
    await acme.put(`/agents/${id}`, { instructions: 'Help.' });
    const as = services.acme.admin;
    const body = { enabled: false };
    expect((await services.agents.call('PATCH', `/api/agents/${id}/status`, { as, body })).status).toBe(200);
    expect(await versionsOf(id)).toHaveLength(1);
  });

  test('are made by copying, and by publishing when only a part was changed', async () => {
    const { id: toolId } = await acme.tool();
    const { id } = await acme.agent({ toolIds: [toolId] });
    await acme.post(`/agents/${id}/publish`);
    await acme.put(`/tools/${toolId}`, { description: 'Better.' });
    await acme.post(`/agents/${id}/publish`);
    expect(await versionsOf(id)).toMatchObject([{ version: 2, changed: [] }, { version: 1 }]);
    const copy = await acme.post(`/agents/${id}/copy`);
    expect(await versionsOf(copy.id)).toMatchObject([{ version: 1, createdBy: await userId() }]);
  });

  test('are listed in pages', async () => {
    const { id } = await acme.agent();
    for (const description of ['a', 'b', 'c']) await acme.put(`/agents/${id}`, { description });
    const numbers = (page: { version: number }[]) => page.map(({ version }) => version);
    const first = await acme.call('GET', `/agents/${id}/versions?limit=2`);
    expect(numbers(first.body)).toEqual([4, 3]);
    const [, next = ''] = /\?([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    expect(numbers(await versionsOf(id, `?${next}`))).toEqual([2, 1]);
    expect((await acme.call('GET', `/agents/${id}/versions?before=nonsense`)).status).toBe(400);
  });

  test("begin with the agent's state before versions were stored", async () => {
    const { id } = await acme.agent({ instructions: 'Old.' });
    await forgetVersions(id);
    expect(await versionsOf(id)).toMatchObject([{ version: 1, createdBy: null, isCurrent: true }]);
    await acme.put(`/agents/${id}`, { instructions: 'New.' });
    expect(await versionsOf(id)).toMatchObject([
      { version: 2, changed: ['instructions'] },
      { version: 1, createdBy: null, definition: { instructions: 'Old.' } },
    ]);
    expect((await restore(id, 1)).body).toMatchObject({ instructions: 'Old.', version: 3 });
  });

  test('are kept in a bounded number', async () => {
    const { id } = await acme.agent();
    await services.harness.asOwner('update agents.agent_definitions set version = 121 where id = $1', [id]);
    await services.harness.asOwner(
      `insert into agents.agent_versions (tenant_id, agent_id, version, content, bytes, changed)
       select tenant_id, agent_id, number, content, bytes, changed
       from agents.agent_versions, generate_series(2, 121) number where agent_id = $1`,
      [id],
    );
    await acme.put(`/agents/${id}`, { description: 'One more.' });
    const kept = await versionsOf(id);
    expect(kept).toHaveLength(100);
    expect([kept[0].version, kept[99].version]).toEqual([122, 23]);
  });

  test('are kept up to a number of bytes, the last two in any case', async () => {
    const { id } = await acme.agent();
    await acme.put(`/agents/${id}`, { description: 'Two.' });
    await services.harness.asOwner('update agents.agent_versions set bytes = 4000000 where agent_id = $1', [
      id,
    ]);
    await acme.put(`/agents/${id}`, { description: 'Three.' });
    expect(await versionsOf(id)).toMatchObject([{ version: 3 }, { version: 2 }]);
    await services.harness.asOwner('update agents.agent_versions set bytes = 9000000 where agent_id = $1', [
      id,
    ]);
    await acme.put(`/agents/${id}`, { description: 'Four.' });
    expect(await versionsOf(id)).toMatchObject([{ version: 4 }, { version: 3 }]);
  });

  test('go with their agent', async () => {
    const { id } = await acme.agent();
    expect((await acme.call('DELETE', `/agents/${id}`)).status).toBe(204);
    const { tenantId } = services.acme;
    const left = await withTenant(services.harness.databaseAs('agents'), [tenantId], (tx) =>
      tx.query({
        name: 'test.left',
        text: 'select from agents.agent_versions where agent_id = $1',
        values: [id],
      }),
    );
    expect(left).toEqual([]);
  });

  test('are the business of admins of their tenant', async () => {
    const { id } = await acme.agent();
    for (const method of ['GET', 'POST']) {
      const path = `/agents/${id}/versions${method === 'POST' ? '/1/restore' : ''}`;
      expect((await acme.call(method, path, undefined, services.acme.member)).status).toBe(403);
      const missing = path.replace(id, randomUUID());
      const answers = [await other.call(method, path), await other.call(method, missing)];
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      expect(answers[0]?.text).toBe(answers[1]?.text);
    }
  });
});

describe('a rollback', () => {
  test('makes a new version with the content of the earlier one', async () => {
    const settings = { temperature: 0.5 };
    const { id } = await acme.agent({ instructions: 'First.', modelSettings: settings, keepsSummary: true });
    await acme.put(`/agents/${id}`, { instructions: 'Second.', modelSettings: {}, keepsSummary: false });
    const restored = await restore(id, 1);
    expect(restored.status).toBe(200);
    const first = { instructions: 'First.', modelSettings: settings, keepsSummary: true };
    expect(restored.body).toMatchObject({ ...first, version: 3 });
    expect(await acme.get(`/agents/${id}`)).toEqual(restored.body);
    const [newest] = await versionsOf(id);
    expect(newest).toMatchObject({
      version: 3,
      restoredFrom: 1,
      definition: first,
      createdBy: await userId(),
    });
  });

  test('changes nothing if it is to the current definition', async () => {
    const { id } = await acme.agent({ instructions: 'First.' });
    await acme.put(`/agents/${id}`, { instructions: 'Second.' });
    expect((await restore(id, 2)).body).toMatchObject({ version: 2 });
    await restore(id, 1);
    expect((await restore(id, 1)).body).toMatchObject({ version: 3 });
    expect(await versionsOf(id)).toHaveLength(3);
  });

  test('is refused with 400 and names missing parts if the version does not keep them', async () => {
    const { id: toolId } = await acme.tool();
    const { id: capabilityId } = await acme.capability();
    const { id } = await acme.agent({ toolIds: [toolId], capabilityIds: [capabilityId] });
    await acme.put(`/agents/${id}`, { toolIds: [], capabilityIds: [] });
    for (const path of [`/tools/${toolId}`, `/capabilities/${capabilityId}`])
      expect((await acme.call('DELETE', path)).status).toBe(204);
    await services.harness.asOwner(
      'update agents.agent_versions set parts = null, content_hash = null where agent_id = $1',
      [id],
    );
    const refused = await restore(id, 1);
    expect(refused.status).toBe(400);
    expect(refused.body.issues).toMatchObject([{ path: 'toolIds.0' }, { path: 'capabilityIds.0' }]);
    expect(await acme.get(`/agents/${id}`)).toMatchObject({ version: 2, toolIds: [] });
  });

  test('is refused with 400 when the content is right no longer', async () => {
    const { id } = await acme.agent();
    await acme.put(`/agents/${id}`, { description: 'Two.' });
    await services.harness.asOwner(
      `update agents.agent_versions set content = jsonb_set(content, '{name}', '""') where agent_id = $1 and version = 1`,
      [id],
    );
    const refused = await restore(id, 1);
    expect(refused.status).toBe(400);
    expect(refused.body.issues).toMatchObject([{ path: 'name' }]);
  });

  test('is 404 for a version that is not stored, and 400 for an invalid number', async () => {
    const { id } = await acme.agent();
    expect((await restore(id, 7)).status).toBe(404);
    expect((await restore(id, 999_999_999)).status).toBe(404);
    for (const version of ['0', '-1', '1.5', 'one', '9999999999'])
      expect((await restore(id, version)).status).toBe(400);
  });

  test('leaves one version each with concurrent changes, and none is lost', async () => {
    const { id } = await acme.agent({ instructions: 'First.' });
    await acme.put(`/agents/${id}`, { instructions: 'Second.' });
    const texts = Array.from({ length: 6 }, (_, index) => `Change ${index}.`);
    const answers = await Promise.all([
      ...texts.map((instructions) => acme.call('PUT', `/agents/${id}`, { instructions })),
      restore(id, 1),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const versions: { version: number; definition: { instructions: string } }[] = await versionsOf(id);
    expect(versions.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const said = new Set(versions.slice(0, 7).map(({ definition }) => definition.instructions));
    expect(said).toEqual(new Set([...texts, 'First.']));
  });
});
