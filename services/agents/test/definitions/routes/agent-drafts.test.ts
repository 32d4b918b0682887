import { randomUUID } from 'node:crypto';
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

const draftOf = (id: string) => `/agents/${id}/draft`;
const save = (id: string, body: object) => acme.call('PUT', draftOf(id), body);
const goLive = (id: string, body: object = {}) => acme.call('POST', `${draftOf(id)}/go-live`, body);

describe('a draft of an agent', () => {
  test('changes nothing that answers, and shows all fields with the names of the changed ones', async () => {
    const { id } = await acme.agent({ instructions: 'First.' });
    const saved = await save(id, { base: 1, instructions: 'Second.', model: 'any' });
    expect(saved).toMatchObject({
      status: 200,
      body: { base: 1, changed: ['instructions'], instructions: 'Second.', name: 'Clerk', model: 'any' },
    });
    expect(await acme.get(draftOf(id))).toEqual(saved.body);
    expect(await acme.get(`/agents/${id}`)).toMatchObject({
      version: 1,
      instructions: 'First.',
      hasDraft: true,
    });
  });

  test('keeps its other fields when one is saved, and follows the live agent in those that it leaves', async () => {
    const { id } = await acme.agent();
    await save(id, { base: 1, instructions: 'Second.' });
    expect((await save(id, { base: 1, keywords: ['a'] })).body).toMatchObject({
      changed: ['instructions', 'keywords'],
    });
    expect((await save(id, { base: 1, instructions: 'Help.' })).body).toMatchObject({
      changed: ['keywords'],
    });
    await acme.put(`/agents/${id}`, { instructions: 'Live.' });
    expect(await acme.get(draftOf(id))).toMatchObject({ instructions: 'Live.', changed: ['keywords'] });
  });

  test('goes live as a new version with its note, and ends', async () => {
    const { id } = await acme.agent();
    await save(id, { base: 1, instructions: 'Second.' });
    const live = await goLive(id, { note: 'Kinder.', overrideReason: 'Urgent.' });
    expect(live).toMatchObject({
      status: 200,
      body: { version: 2, instructions: 'Second.', hasDraft: false },
    });
    expect(await acme.get(`/agents/${id}/versions`)).toMatchObject([
      { version: 2, changed: ['instructions'], note: 'Kinder.', overrideReason: 'Urgent.' },
      { version: 1, note: null, overrideReason: null },
    ]);
    expect((await acme.call('GET', draftOf(id))).status).toBe(404);
    expect((await goLive(id)).status).toBe(404);
  });

  test('does not go live over a version that it was not made for, and both are named', async () => {
    const { id } = await acme.agent();
    await save(id, { base: 1, instructions: 'Draft.' });
    await acme.put(`/agents/${id}`, { instructions: 'Live.', keywords: ['a'] });
    const refused = await goLive(id);
    expect(refused).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/version 1, but version 2 is live/) },
    });
    expect(await acme.get(draftOf(id))).toMatchObject({ base: 1, instructions: 'Draft.' });
    await save(id, { base: 2 });
    expect(await goLive(id)).toMatchObject({
      status: 200,
      body: { version: 3, instructions: 'Draft.', keywords: ['a'] },
    });
  });

  test('goes live after a change of a tool or capability, which it follows', async () => {
    const tool = await acme.tool({ description: 'Looks up.' });
    const { id } = await acme.agent({ toolIds: [tool.id] });
    await save(id, { base: 1, instructions: 'Second.' });
    await acme.put(`/tools/${tool.id}`, { description: 'Looks up more.' });
    await acme.put(`/tools/${tool.id}`, { description: 'Looks up most.' });
    expect(await acme.get(draftOf(id))).toMatchObject({ base: 3, changed: ['instructions'] });
    expect(await goLive(id)).toMatchObject({ status: 200, body: { version: 4, instructions: 'Second.' } });
  });

  test('is validated like the agent, when it is saved and when it goes live', async () => {
    const { id } = await acme.agent();
    const { id: toolId } = await acme.tool();
    for (const wrong of [
      { instructions: 'No base.' },
      { base: 2 },
      { base: 1, instructions: '' },
      { base: 1, toolIds: [randomUUID()] },
      { base: 1, provider: 'anthropic', modelSettings: { reasoningEffort: 'low' } },
    ])
      expect((await save(id, wrong)).status).toBe(400);
    expect((await acme.call('GET', draftOf(id))).status).toBe(404);
    await save(id, { base: 1, toolIds: [toolId] });
    await acme.call('DELETE', `/tools/${toolId}`);
    expect(await goLive(id)).toMatchObject({ status: 400, body: { issues: [{ path: 'toolIds.0' }] } });
    expect(await acme.get(draftOf(id))).toMatchObject({ toolIds: [toolId] });
  });

  test('is discarded, and goes with its agent', async () => {
    const { id } = await acme.agent();
    await save(id, { base: 1, instructions: 'Second.' });
    expect((await acme.call('DELETE', draftOf(id))).status).toBe(204);
    expect((await acme.call('DELETE', draftOf(id))).status).toBe(404);
    await save(id, { base: 1, instructions: 'Third.' });
    expect((await acme.call('DELETE', `/agents/${id}`)).status).toBe(204);
    const kept = 'select from agents.agent_drafts where agent_id = $1';
    expect(await services.harness.asOwner(kept, [id])).toEqual([]);
  });

  test('is not found from another tenant', async () => {
    const { id } = await acme.agent();
    await save(id, { base: 1, instructions: 'Second.' });
    const calls = [
      other.call('GET', draftOf(id)),
      other.call('PUT', draftOf(id), { base: 1 }),
      other.call('POST', `${draftOf(id)}/go-live`, {}),
      other.call('DELETE', draftOf(id)),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test('without changes makes no version', async () => {
    const { id } = await acme.agent();
    await save(id, { base: 1, instructions: 'Help.' });
    expect(await goLive(id)).toMatchObject({ status: 200, body: { version: 1, hasDraft: false } });
  });
});
