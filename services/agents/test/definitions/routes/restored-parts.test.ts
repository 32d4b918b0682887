import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { Definitions, uniqueName } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
});

afterAll(() => services?.close());

const versionsOf = (id: string) => acme.get(`/agents/${id}/versions`);
const restore = (id: string, version: number) =>
  acme.call('POST', `/agents/${id}/versions/${version}/restore`);
/** Rolls back, and expects that the new version is the same agent as the earlier one. */
async function restoreTheSame(id: string, version: number) {
  const { status, body } = await restore(id, version);
  expect(status).toBe(200);
  const versions: { version: number; contentHash: string }[] = await versionsOf(id);
  const earlier = versions.find((one) => one.version === version);
  expect(versions[0]).toMatchObject({ restoredFrom: version, contentHash: earlier?.contentHash });
  return body;
}

describe('a rollback brings back the tools and capabilities of the version:', () => {
  test('a deleted tool is created again, with its identifier and name', async () => {
    const tool = await acme.tool({ name: uniqueName(), description: 'Looks up.' });
    const { id } = await acme.agent({ toolIds: [tool.id] });
    await acme.put(`/agents/${id}`, { toolIds: [] });
    await acme.call('DELETE', `/tools/${tool.id}`);
    expect(await restoreTheSame(id, 1)).toMatchObject({ version: 3, toolIds: [tool.id] });
    const { name } = tool;
    expect(await acme.get(`/tools/${tool.id}`)).toMatchObject({ name, description: 'Looks up.' });
  });

  test('a tool that only this agent has is changed back, although no field of the agent differs', async () => {
    const tool = await acme.tool({ kind: 'http_get', settings: { hosts: ['a.example.com'] } });
    const { id } = await acme.agent({ toolIds: [tool.id] });
    await acme.put(`/tools/${tool.id}`, { name: uniqueName(), settings: { hosts: ['b.example.com'] } });
    expect(await restoreTheSame(id, 1)).toMatchObject({ version: 3, toolIds: [tool.id] });
    expect(await acme.get(`/tools/${tool.id}`)).toMatchObject({ name: tool.name, settings: tool.settings });
    expect((await restore(id, 1)).body).toMatchObject({ version: 3 });
    await restoreTheSame(id, 2);
  });

  test('a deleted capability and its tools are created again, a changed one is changed back', async () => {
    const tool = await acme.tool();
    const deleted = await acme.capability({ toolIds: [tool.id] });
    const changed = await acme.capability();
    const { id } = await acme.agent({ capabilityIds: [deleted.id, changed.id] });
    await acme.put(`/capabilities/${changed.id}`, { instructions: 'Calculate twice.' });
    await acme.put(`/agents/${id}`, { capabilityIds: [] });
    await acme.call('DELETE', `/capabilities/${deleted.id}`);
    await acme.call('DELETE', `/tools/${tool.id}`);
    expect(await restoreTheSame(id, 1)).toMatchObject({ capabilityIds: [deleted.id, changed.id] });
    expect(await acme.get(`/capabilities/${deleted.id}`)).toMatchObject({ toolIds: [tool.id] });
    expect(await acme.get(`/capabilities/${changed.id}`)).toMatchObject({ instructions: 'Calculate.' });
  });

  test('a changed tool that another agent has stays as it is, and the agent gets a copy, once', async () => {
    const tool = await acme.tool({ description: 'Looks up.' });
    const { id } = await acme.agent({ toolIds: [tool.id] });
    const other = await acme.agent({ toolIds: [tool.id] });
    await acme.put(`/tools/${tool.id}`, { description: 'Looks up more.' });
    const { body } = await restore(id, 1);
    const [copyId] = body.toolIds;
    expect(copyId).not.toBe(tool.id);
    expect(await acme.get(`/tools/${copyId}`)).toMatchObject({
      name: `${tool.name}_2`,
      description: 'Looks up.',
    });
    expect(await acme.get(`/tools/${tool.id}`)).toMatchObject({ description: 'Looks up more.' });
    expect(await acme.get(`/agents/${other.id}`)).toMatchObject({ version: 2, toolIds: [tool.id] });
    await restoreTheSame(id, 2);
    expect((await restore(id, 1)).body).toMatchObject({ toolIds: [copyId] });
  });

  test('a changed tool of a capability that another agent has comes back as a copy of both', async () => {
    const tool = await acme.tool({ description: 'Looks up.' });
    const capability = await acme.capability({ toolIds: [tool.id] });
    const { id } = await acme.agent({ capabilityIds: [capability.id] });
    await acme.agent({ capabilityIds: [capability.id] });
    await acme.put(`/tools/${tool.id}`, { description: 'Looks up more.' });
    const [copyId] = (await restore(id, 1)).body.capabilityIds;
    const copy = await acme.get(`/capabilities/${copyId}`);
    expect(copy).toMatchObject({ name: 'Sums', instructions: 'Calculate.' });
    expect(await acme.get(`/tools/${copy.toolIds[0]}`)).toMatchObject({ description: 'Looks up.' });
    expect(await acme.get(`/capabilities/${capability.id}`)).toMatchObject({
      toolIds: [tool.id],
      version: 1,
    });
  });

  test('a deleted tool whose name was taken by another gets a name with a number', async () => {
    const tool = await acme.tool();
    const { id } = await acme.agent({ toolIds: [tool.id] });
    await acme.put(`/agents/${id}`, { toolIds: [] });
    await acme.call('DELETE', `/tools/${tool.id}`);
    await acme.tool({ name: tool.name });
    expect((await restore(id, 1)).body).toMatchObject({ toolIds: [tool.id] });
    expect(await acme.get(`/tools/${tool.id}`)).toMatchObject({ name: `${tool.name}_2` });
  });

  test('all of them or none: a server that no longer exists leaves them as they are', async () => {
    const tool = await acme.tool({ description: 'Looks up.' });
    const { id } = await acme.agent({ toolIds: [tool.id] });
    await acme.put(`/tools/${tool.id}`, { description: 'Looks up more.' });
    await services.harness.asOwner(
      `update agents.agent_versions
       set content = jsonb_set(content, '{serverIds}', '["01890a5d-ac96-774b-bcce-b302099a8057"]')
       where agent_id = $1 and version = 1`,
      [id],
    );
    expect((await restore(id, 1)).status).toBe(422);
    expect(await acme.get(`/tools/${tool.id}`)).toMatchObject({ description: 'Looks up more.' });
    expect(await versionsOf(id)).toHaveLength(2);
  });
});
