import { FakeModel } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, startAgents } from '../../agents-services.ts';

let services: AgentsServices;
beforeAll(async () => {
  services = await openAgentsServices();
});
afterAll(() => services?.close());

let model: FakeModel;
beforeEach(async () => {
  model = await new FakeModel({ models: ['small', 'large', 'small'] }).start();
  return () => model.close();
});

/** Another instance, which asks a provider of its own and has asked nobody yet. */
const startAsking = async (env: Record<string, string> = {}) => {
  const agents = await startAgents({ ...services, model }, env);
  const list = async (provider: string, as = services.acme.admin) =>
    await agents.call('GET', `/api/agents/models/${provider}`, { as });
  return { list, stop: () => agents.stop() };
};

test('the models of a provider are listed in order, and asked for once', async () => {
  const { list, stop } = await startAsking();
  const listed = { models: ['large', 'small'], problem: null };
  expect(await list('private-llm')).toMatchObject({ status: 200, body: listed });
  model.fail('models', { status: 500 });
  expect(await list('private-llm')).toMatchObject({ status: 200, body: listed });
  await stop();
});

test('a provider without a key is a problem in words, and is not asked', async () => {
  const { list, stop } = await startAsking();
  expect((await list('openai')).body).toEqual({ models: [], problem: 'there is no key for it' });
  expect(model.calls.all.filter(({ operation }) => operation === 'models')).toEqual([]);
  await stop();
});

test.each([
  [{ status: 404, body: 'Not <b>here</b>' }, 'the provider does not tell its models'],
  [{ status: 401, body: {} }, 'the provider refused the key'],
  [{ status: 200, body: { data: 'many' } }, 'the provider does not tell its models'],
  [{ status: 200, body: { data: [{ id: 7 }, null, { id: 'x'.repeat(201) }, { id: 'fine' }] } }, null],
])('the answer %j is no list, or the names in it', async (answer, problem) => {
  const { list, stop } = await startAsking();
  model.clearFaults();
  model.fail('models', { ...answer, times: 9 });
  expect((await list('private-llm')).body).toEqual({ models: problem === null ? ['fine'] : [], problem });
  await stop();
});

test('only admins of the tenant are answered', async () => {
  const { list, stop } = await startAsking();
  expect((await list('private-llm', services.acme.member)).status).toBe(403);
  expect((await list('nobody')).status).toBe(400);
  await stop();
});
