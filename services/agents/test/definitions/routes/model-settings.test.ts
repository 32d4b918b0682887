import type { ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
} from '../../agents-services.ts';
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

const whole = { temperature: 0.3, maxOutputTokens: 500, reasoningEffort: 'low' };

describe('model settings', () => {
  test('are kept as they were given, in the definition and in the agent as it runs', async () => {
    const { id, modelSettings } = await acme.agent({ modelSettings: whole });
    expect(modelSettings).toEqual(whole);
    expect((await acme.get(`/agents/${id}`)).modelSettings).toEqual(whole);
    const { admin } = services.acme;
    const running = await services.agents.call('GET', `/api/agents/${id}`, { as: admin });
    expect(running.body.modelSettings).toEqual(whole);
  });

  test('are changed as a whole, and stay when the body has none', async () => {
    const { id } = await acme.agent({ modelSettings: whole });
    expect(await acme.put(`/agents/${id}`, { description: 'Other.' })).toMatchObject({
      modelSettings: whole,
    });
    const changed = await acme.put(`/agents/${id}`, { modelSettings: { temperature: 2 } });
    expect(changed).toMatchObject({ modelSettings: { temperature: 2 }, version: 3 });
    expect(await acme.put(`/agents/${id}`, { modelSettings: {} })).toMatchObject({ modelSettings: {} });
  });

  test.each([
    ['openai', { temperature: -0.1 }, 'modelSettings.temperature'],
    ['openai', { temperature: 2.1 }, 'modelSettings.temperature'],
    ['openai', { temperature: '1' }, 'modelSettings.temperature'],
    ['openai', { maxOutputTokens: 0 }, 'modelSettings.maxOutputTokens'],
    ['openai', { maxOutputTokens: 1.5 }, 'modelSettings.maxOutputTokens'],
    ['openai', { maxOutputTokens: 16_385 }, 'modelSettings.maxOutputTokens'],
    ['openai', { reasoningEffort: 'extreme' }, 'modelSettings.reasoningEffort'],
    ['anthropic', { temperature: 1.1 }, 'modelSettings.temperature'],
    ['anthropic', { reasoningEffort: 'low' }, 'modelSettings.reasoningEffort'],
  ])('of %s that are %j are refused with 400 that names the field', async (provider, modelSettings, path) => {
    const agentBody = { name: 'Clerk', instructions: 'Help.', provider, model: 'any', modelSettings };
    const created = await acme.call('POST', '/agents', agentBody);
    expect(created.status).toBe(400);
    expect(created.body.issues).toMatchObject([{ path }]);
    const { id } = await acme.agent({ provider });
    const updated = await acme.call('PUT', `/agents/${id}`, { modelSettings });
    expect(updated.status).toBe(400);
    expect(updated.body.issues).toMatchObject([{ path }]);
  });

  test('are refused with 400 if they are unknown', async () => {
    const { id } = await acme.agent();
    expect((await acme.call('PUT', `/agents/${id}`, { modelSettings: { topP: 1 } })).status).toBe(400);
    expect((await acme.call('PUT', `/agents/${id}`, { modelSettings: null })).status).toBe(400);
  });

  test('have to fit the provider that an agent is changed to', async () => {
    const { id } = await acme.agent({ modelSettings: whole });
    const refused = await acme.call('PUT', `/agents/${id}`, { provider: 'anthropic' });
    expect(refused.status).toBe(400);
    expect(refused.body.issues).toEqual([
      {
        path: 'modelSettings.reasoningEffort',
        message: 'is not supported by the provider anthropic: omit it',
      },
    ]);
    const both = { provider: 'anthropic', modelSettings: { temperature: 1 } };
    expect(await acme.put(`/agents/${id}`, both)).toMatchObject(both);
  });

  test('go along when an agent is published and copied', async () => {
    const { id } = await acme.agent({ modelSettings: whole });
    await acme.post(`/agents/${id}/publish`);
    await acme.put(`/agents/${id}`, { modelSettings: {} });
    expect(await other.post(`/agents/${id}/copy`)).toMatchObject({ modelSettings: whole });
    expect((await acme.post(`/agents/${id}/publish`)).publication.version).toBe(2);
    expect(await other.post(`/agents/${id}/copy`)).toMatchObject({ modelSettings: {} });
  });
});

describe('a chat', () => {
  const requestFor = async (agent: object): Promise<ModelRequest> => {
    const agentIds = [await createAgent(services, services.acme, { ...agent })];
    const chat = new Chat(services, await createBot(services, services.acme, { agentIds }));
    const nextRequest = services.model.nextRequest();
    await chat.say('Hello');
    const request = await nextRequest;
    await chat.answers(1);
    return request;
  };

  test('is requested from the private LLM with the settings of its agent', async () => {
    const { body } = await requestFor({ modelSettings: whole });
    expect(body).toMatchObject({ temperature: 0.3, max_tokens: 500, reasoning_effort: 'low' });
  });

  test('leaves to the provider the settings that its agent lacks', async () => {
    const { body } = await requestFor({});
    expect(body.max_tokens).toBe(4096);
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('reasoning_effort');
  });
});
