import { eventually } from '@botyard/testing/eventually';
import type { ModelReply, ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  startAgents,
} from '../../agents-services.ts';
import { addTool } from '../../answering/domain/loop/equipped.ts';
import { apologyFor } from '../../in-english.ts';

let services: AgentsServices;
let made = 0;

beforeAll(async () => {
  services = await openAgentsServices();
});
afterAll(() => services?.close());

const refusal = (message: string, status = 400): ModelReply => ({ status, body: { error: { message } } });

/** A model that refuses a request with this field. */
const without = (field: string, message: string) => (request: ModelRequest) =>
  field in request.body ? refusal(message) : 'fine';
const noTemperature = without(
  'temperature',
  "Unsupported parameter: 'temperature' is not supported with this model.",
);

async function agentOf(body: object = {}, people = services.acme) {
  made += 1;
  const id = await createAgent(services, people, {
    model: `m${made}`,
    modelSettings: { temperature: 0.5 },
    ...body,
  });
  const bot = await createBot(services, people, { agentIds: [id] });
  return { id, bot, model: (body as { model?: string }).model ?? `m${made}` };
}

/** Says something and returns the answer with the number of requests that it took. */
async function asked(bot: Awaited<ReturnType<typeof agentOf>>['bot']) {
  const before = services.model.requests.count;
  const chat = new Chat(services, bot);
  await chat.say('hello');
  const [text] = await chat.answers(1);
  return { text, requests: services.model.requests.count - before };
}

const notesOf = (id: string, people = services.acme) =>
  services.agents.call('GET', `/api/agents/${id}/model`, { as: people.admin });

test('a refused parameter is left out, which is remembered for all tenants of the platform key', async () => {
  services.model.replyWith(noTemperature);
  const { id, bot, model } = await agentOf();
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 2 });
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 1 });
  const other = await agentOf({ model }, services.other);
  // An agent that was changed after something was learned tries it once more.
  expect(await asked(other.bot)).toEqual({ text: 'fine', requests: 2 });
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 1 });
  await eventually('the page shows it', async () => {
    const { body } = await notesOf(id);
    return body.leftOut?.includes('temperature') && body.learnedAt !== null;
  });
});

test('an agent that was there before uses what another tenant has learned with the platform key', async () => {
  const mine = await agentOf({ model: 'shared' });
  const theirs = await agentOf({ model: 'shared' }, services.other);
  services.model.replyWith(noTemperature);
  expect(await asked(mine.bot)).toEqual({ text: 'fine', requests: 2 });
  expect(await asked(theirs.bot)).toEqual({ text: 'fine', requests: 1 });
});

test("what a tenant's own key taught stays with that tenant", async () => {
  const { keys, acme } = services;
  const key = { provider: 'openai', apiKey: 'sk-own-0123456789' };
  await keys.call('POST', `/api/keys/${acme.tenantId}`, { as: acme.admin, body: key });
  const mine = await agentOf({ provider: 'openai', model: 'own' });
  services.model.replyWith(noTemperature);
  expect((await asked(mine.bot)).requests).toBe(2);
  const rows = () =>
    services.harness.asOwner<{ tenant_id: string }>(
      'select tenant_id from agents.model_adjustments where model = $1',
      ['own'],
    );
  await eventually('it is stored', async () => (await rows()).length === 1);
  expect(await rows()).toEqual([{ tenant_id: acme.tenantId }]);
});

test('a restart remembers it, and a change of the agent forgets it', async () => {
  services.model.replyWith(noTemperature);
  const { id, bot, model } = await agentOf();
  await asked(bot);
  await eventually('it is stored', async () => {
    const rows = await services.harness.asOwner(
      'select from agents.model_adjustments where model = $1 and learned_at is not null',
      [model],
    );
    return rows.length === 1;
  });
  await services.agents.stop();
  services.agents = await startAgents(services);
  await eventually('it is read', async () => (await asked(bot)).requests === 1);
  const body = { modelSettings: { temperature: 0.7 } };
  await services.agents.call('PUT', `/api/definitions/agents/${id}`, { as: services.acme.admin, body });
  expect((await notesOf(id)).body.leftOut).toEqual([]);
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 2 });
});

test('a model without tools answers without them, and its trace says so', async () => {
  const toolId = await addTool(services, { name: 'adder', kind: 'calculator' });
  services.model.replyWith(without('tools', 'registry.ollama.ai/library/gemma3:4b does not support tools'));
  const { bot } = await agentOf({ toolIds: [toolId] });
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 2 });
  const [turn] = await services.harness.asOwner<{ model_record: object }>(
    'select model_record from agents.turns order by turn_id desc limit 1',
  );
  expect(turn?.model_record).toMatchObject({ leftOut: ['tools'] });
});

test('several refused parameters are left out one after another', async () => {
  services.model.replyWith((request) => {
    const { max_tokens, temperature, max_completion_tokens } = request.body;
    if (max_tokens !== undefined)
      return refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
    if (temperature !== undefined) return refusal("Unsupported value: 'temperature' does not support 0.5.");
    return max_completion_tokens === undefined ? refusal('no limit') : 'fine';
  });
  const { bot } = await agentOf();
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 3 });
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 1 });
});

test('a limit on the longest answer is kept', async () => {
  services.model.replyWith(({ body }) =>
    Number(body.max_tokens) > 2048
      ? refusal('max_tokens is too large: 4096. This model supports at most 2048 completion tokens.')
      : 'fine',
  );
  const { id, bot } = await agentOf();
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 2 });
  expect(await asked(bot)).toEqual({ text: 'fine', requests: 1 });
  await eventually('it is shown', async () => (await notesOf(id)).body.maxOutputTokens === 2048);
});

test('what does not help is not remembered, and the page shows the reason without addresses', async () => {
  services.model.replyWith(() =>
    refusal('temperature is invalid at http://10.0.0.7:8000/v1 for key sk-live-4242424242'),
  );
  const { id, bot } = await agentOf();
  expect((await asked(bot)).text).toBe(apologyFor('refused'));
  await eventually('it is shown', async () => (await notesOf(id)).body.refusal !== null);
  const { body } = await notesOf(id);
  expect(body).toMatchObject({
    leftOut: [],
    refusal: { reason: 'temperature is invalid at [address] for key [secret]' },
  });
});

test('notes about a model are for admins of its tenant only', async () => {
  const { id } = await agentOf();
  const { agents, acme, other } = services;
  expect((await agents.call('GET', `/api/agents/${id}/model`, { as: other.admin })).status).toBe(404);
  expect((await agents.call('GET', `/api/agents/${id}/model`, { as: acme.member })).status).toBe(403);
});
