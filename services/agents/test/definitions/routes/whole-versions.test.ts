import type { AgentParts } from '@botyard/contracts/http/definitions-agent-versions';
import { withTenant } from '@botyard/shared/db/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentInVersion, getWholeVersion } from '../../../src/definitions/domain/whole-version.ts';
import { getAgentAtWork } from '../../../src/definitions/store/agent-equipment.ts';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { Definitions, uniqueName } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
});

afterAll(() => services?.close());

interface Version {
  version: number;
  changed: string[];
  parts: AgentParts | null;
}

const versionsOf = (id: string) => acme.get(`/agents/${id}/versions`);
const inAcme = <Result>(work: Parameters<typeof withTenant<Result>>[2]): Promise<Result> =>
  withTenant(services.harness.databaseAs('agents'), [services.acme.tenantId], work);
const wholeVersion = async (id: string, version: number) => {
  const key = { tenantId: services.acme.tenantId, id };
  return await inAcme((tx) => getWholeVersion(tx, key, version));
};
/** As versions are that were stored before their tools were. */
const forgetParts = (id: string) =>
  services.harness.asOwner(
    'update agents.agent_versions set parts = null, content_hash = null where agent_id = $1',
    [id],
  );
/** An agent with a tool of its own, and a capability with another one. */
async function equippedAgent() {
  const lookUp = await acme.tool({ name: uniqueName(), description: 'Looks up.' });
  const sums = await acme.tool({ name: uniqueName(), description: 'Adds.' });
  const capability = await acme.capability({ toolIds: [sums.id] });
  const { id } = await acme.agent({ toolIds: [lookUp.id], capabilityIds: [capability.id] });
  return { id, lookUp, sums, capability };
}

describe('a version of an agent holds its tools and capabilities', () => {
  test('whole, those of its capabilities too', async () => {
    const { id, lookUp, sums, capability } = await equippedAgent();
    const [version] = await versionsOf(id);
    const tool = ({ name, description }: { name: string; description: string }) => ({
      name,
      description,
      kind: 'calculator',
      settings: {},
    });
    expect(version.parts).toEqual({
      capabilities: [
        {
          id: capability.id,
          name: 'Sums',
          description: '',
          instructions: 'Calculate.',
          keywords: [],
          toolIds: [sums.id],
        },
      ],
      tools: [
        { id: lookUp.id, ...tool(lookUp) },
        { id: sums.id, ...tool(sums) },
      ],
    });
  });

  test('as they were: a change of a tool or capability makes a version of each agent that has it', async () => {
    const { id, lookUp, sums, capability } = await equippedAgent();
    const { id: otherId } = await acme.agent({ toolIds: [sums.id] });
    const { id: strangerId } = await acme.agent();
    await acme.put(`/tools/${lookUp.id}`, { description: 'Looks up more.' });
    await acme.put(`/tools/${sums.id}`, { description: 'Adds more.' });
    await acme.put(`/capabilities/${capability.id}`, { instructions: 'Calculate twice.' });
    const wordsOf = ({ version, changed, parts }: Version) => [
      version,
      changed,
      parts?.tools.map(({ description }) => description),
      parts?.capabilities.map(({ instructions }) => instructions),
    ];
    expect((await versionsOf(id)).map(wordsOf)).toEqual([
      [4, [], ['Looks up more.', 'Adds more.'], ['Calculate twice.']],
      [3, [], ['Looks up more.', 'Adds more.'], ['Calculate.']],
      [2, [], ['Looks up more.', 'Adds.'], ['Calculate.']],
      [1, [], ['Looks up.', 'Adds.'], ['Calculate.']],
    ]);
    expect(await versionsOf(otherId)).toMatchObject([{ version: 2 }, { version: 1 }]);
    expect(await versionsOf(strangerId)).toMatchObject([{ version: 1 }]);
    expect(await acme.get(`/agents/${id}`)).toMatchObject({ version: 4 });
  });

  test('and a change of a tool that changes nothing makes no version', async () => {
    const { id, lookUp } = await equippedAgent();
    await acme.put(`/tools/${lookUp.id}`, { description: 'Looks up.' });
    await acme.post(`/tools/${lookUp.id}/publish`);
    await acme.post(`/tools/${lookUp.id}/unpublish`);
    expect(await versionsOf(id)).toHaveLength(1);
  });

  test('and so does the version before the first change, if it was stored without them', async () => {
    const { id, lookUp } = await equippedAgent();
    await forgetParts(id);
    expect((await versionsOf(id))[0]).toMatchObject({ parts: null, contentHash: null });
    await acme.put(`/tools/${lookUp.id}`, { description: 'Looks up more.' });
    const [second, first] = await versionsOf(id);
    expect(second.parts.tools[0]).toMatchObject({ description: 'Looks up more.' });
    expect(first.parts.tools[0]).toMatchObject({ description: 'Looks up.' });
  });

  test('up to 512 KiB, and is listed without them above', async () => {
    const parameters = { type: 'object', description: '€'.repeat(15_900) };
    const toolIds = [];
    for (let count = 0; count < 12; count += 1) {
      const settings = { toolkit: 'any', tool: 'ANY_TOOL', parameters };
      toolIds.push((await acme.tool({ kind: 'external', settings })).id);
    }
    const { id } = await acme.agent({ toolIds: toolIds.slice(0, 10) });
    await acme.put(`/agents/${id}`, { toolIds });
    expect(await versionsOf(id)).toMatchObject([
      { version: 2, parts: null, contentHash: null },
      { version: 1, parts: { capabilities: [] } },
    ]);
  });
});

describe('the hash of a version', () => {
  test('is the same for the same content, whatever identifiers and versions its tools have', async () => {
    const lookUp = await acme.tool({ name: 'look_up', description: 'Looks up.' });
    const { id } = await acme.agent({ toolIds: [lookUp.id] });
    await acme.put(`/agents/${id}`, { toolIds: [] });
    await acme.call('DELETE', `/tools/${lookUp.id}`);
    const again = await acme.tool({ name: 'look_up', description: 'Looks up.' });
    await acme.put(`/agents/${id}`, { toolIds: [again.id] });
    const [third, second, first] = await versionsOf(id);
    expect(third.contentHash).toBe(first.contentHash);
    expect(second.contentHash).not.toBe(first.contentHash);
  });

  test('differs when only a tool or a capability does', async () => {
    const { id, sums, capability } = await equippedAgent();
    await acme.put(`/tools/${sums.id}`, { description: 'Adds more.' });
    await acme.put(`/capabilities/${capability.id}`, { keywords: ['sum'] });
    const hashes = (await versionsOf(id)).map(({ contentHash }: { contentHash: string }) => contentHash);
    expect(new Set(hashes).size).toBe(3);
  });
});

describe('a whole version', () => {
  test('is read for the live version and for earlier ones, and the agent answers with its tools', async () => {
    const { id, lookUp } = await equippedAgent();
    await acme.put(`/tools/${lookUp.id}`, { description: 'Looks up more.' });
    await acme.put(`/agents/${id}`, { instructions: 'Help more.', toolIds: [] });
    const first = await wholeVersion(id, 1);
    expect(first?.parts?.tools[0]).toMatchObject({ description: 'Looks up.' });
    const [live] = await versionsOf(id);
    const { version, definition: content, parts, contentHash } = live;
    expect(await wholeVersion(id, 3)).toEqual({ version, content, parts, contentHash });
    expect(await wholeVersion(id, 4)).toBeUndefined();
    const agent = await inAcme((tx) => getAgentAtWork(tx, services.acme.tenantId, id));
    const earlier = agentInVersion(agent!, first!);
    expect(earlier).toMatchObject({ id, version: 1, instructions: 'Help.', toolIds: [lookUp.id] });
    expect(earlier.equipment?.tools[0]).toMatchObject({ id: lookUp.id, description: 'Looks up.' });
  });
});

test('a version that a draft is based on is kept beyond the limits', async () => {
  const { id } = await acme.agent();
  await acme.put(`/agents/${id}/draft`, { base: 1, description: 'Drafted.' });
  for (const description of ['Two.', 'Three.', 'Four.']) await acme.put(`/agents/${id}`, { description });
  await services.harness.asOwner('update agents.agent_versions set bytes = 9000000 where agent_id = $1', [
    id,
  ]);
  await acme.put(`/agents/${id}`, { description: 'Five.' });
  expect(await versionsOf(id)).toMatchObject([{ version: 5 }, { version: 4 }, { version: 1 }]);
});
