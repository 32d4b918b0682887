import { randomUUID } from 'node:crypto';
import { trialEnded } from '@botyard/contracts/events/agents';
import { maxTrialsOfCaller } from '@botyard/contracts/http/trials';
import { EventReader } from '@botyard/testing/event-reader';
import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  createAgent,
  openAgentsServices,
  question,
  startAgents,
} from '../../agents-services.ts';
import { addTool, call } from '../../answering/domain/loop/equipped.ts';
import { Definitions } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;
let agentId: string;
const readers: EventReader[] = [];

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
  agentId = await createAgent(services, services.acme, { instructions: 'Be kind.' });
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
  services.model.release();
  services.model.clearFaults();
  services.model.replyWith((request) => `re: ${question(request)}`);
});
afterAll(() => services?.close());

const hello = [{ role: 'user', text: 'hello' }];
interface TrialBody {
  messages?: unknown;
  draft?: unknown;
}
const trialBody = (body: TrialBody) => ({ messages: hello, ...body });

async function begin(body: TrialBody = {}, id = agentId, service = services.agents): Promise<EventReader> {
  const options = { as: services.acme.admin, path: `/api/agents/${id}/try`, body: trialBody(body) };
  const reader = await EventReader.open(service, options);
  readers.push(reader);
  return reader;
}

/** All events of a trial, once it has ended. */
async function tried(body: TrialBody = {}, id = agentId) {
  const reader = await begin(body, id);
  await reader.over();
  return reader.heard.map(({ event, data }) => ({ event, data }));
}

/** The reason for which a trial is refused. */
const refused = (body: TrialBody = {}, id = agentId, as = services.acme.admin) =>
  services.agents.call('POST', `/api/agents/${id}/try`, { as, body: trialBody(body) });

const eventsOf = async (id: string) =>
  (
    await services.harness.asOwner<{ data: string }>(
      `select data from agents.outbox where subject like $1 and data like '%' || $2 || '%' order by id`,
      [`%.event.${trialEnded.name}.%`, id],
    )
  ).map(({ data }) => trialEnded.schema.parse(JSON.parse(data)));

describe('a trial', () => {
  test("streams the model's answer, with the trace of its steps, and is counted for its agent alone", async () => {
    const id = await createAgent(services, services.acme);
    services.model.replyWith('one two three');
    const [first] = await tried({}, await createAgent(services, services.acme));
    expect(first).toEqual({ event: 'delta', data: { text: 'one two three' } });
    const events = await tried({}, id);
    expect(events.slice(0, 3)).toEqual([
      { event: 'delta', data: { text: 'one ' } },
      { event: 'delta', data: { text: 'two ' } },
      { event: 'delta', data: { text: 'three' } },
    ]);
    const { prompt_tokens: inputTokens, completion_tokens: outputTokens } =
      services.model.answered.last!.usage;
    const used = { inputTokens, outputTokens, isEstimated: false };
    expect(events.slice(3)).toEqual([
      {
        event: 'done',
        data: {
          text: 'one two three',
          trace: {
            agentId: id,
            version: 1,
            drafted: [],
            provider: 'private-llm',
            model: 'default',
            ...used,
            key: {
              keyId: null,
              source: 'platform',
              attempts: [
                { keyId: null, source: 'platform', outcome: 'answered', durationMs: expect.any(Number) },
              ],
            },
            context: { messages: 0, tokens: expect.any(Number), hasSummary: false, citations: [] },
            answer: {
              ending: 'complete',
              finishReason: expect.stringMatching(/^(?:stop|end_turn)$/),
              thoughtUnits: 0,
              leftOut: [],
              leavesOut: 'nothing',
            },
            toolCalls: [],
            durationMs: expect.any(Number),
          },
        },
      },
    ]);
    const counted = await eventsOf(id);
    expect(counted).toMatchObject([{ agentId: id, keySource: 'platform', toolCalls: 0, ...used }]);
    await services.harness.settled('usage', 'agents');
    const logs = await services.usage.call('GET', `/api/usage/${services.acme.tenantId}/logs?agentId=${id}`, {
      as: services.acme.admin,
    });
    expect(logs.body).toMatchObject([
      { agentId: id, botId: null, conversationId: null, outcome: 'trial', inputTokens, outputTokens },
    ]);
    const path = `/api/usage/${services.acme.tenantId}?groupBy=bot`;
    const sums = await services.usage.call('GET', path, { as: services.acme.admin });
    const counters = expect.objectContaining({ messages: 0 });
    expect(sums.body.series).toContainEqual({ botId: null, counters });
  });

  test('leaves no conversation, message or turn', async () => {
    const rows = () =>
      services.harness.asOwner(
        `select (select count(*) from agents.conversations) as conversations,
           (select count(*) from agents.messages) as messages, (select count(*) from agents.turns) as turns`,
      );
    const before = await rows();
    await tried();
    expect(await rows()).toEqual(before);
  });

  test('shows the model the conversation as a chat would', async () => {
    const messages = [
      { role: 'assistant', text: 'Welcome.' },
      { role: 'user', text: 'My order is 7.' },
      { role: 'assistant', text: 'Noted.' },
      { role: 'user', text: 'Which one?' },
    ];
    await tried({ messages });
    const { messages: shown } = services.model.requests.last!;
    expect(shown.map((message) => [message.role, contentText(message)])).toEqual([
      ['system', 'Be kind.'],
      ['user', 'My order is 7.'],
      ['assistant', 'Noted.'],
      ['user', 'Which one?'],
    ]);
  });

  test('uses a draft in place of the definition, which does not change', async () => {
    const before = await acme.get(`/agents/${agentId}`);
    const toolId = await addTool(services, { name: `now_${Date.now()}`, kind: 'current_time' });
    const draft = {
      instructions: 'Be short.',
      model: 'other',
      toolIds: [toolId],
      modelSettings: { temperature: 0.1, maxOutputTokens: 50 },
    };
    const [done] = (await tried({ draft })).slice(-1);
    expect(done).toMatchObject({
      event: 'done',
      data: { trace: { model: 'other', drafted: ['instructions', 'model', 'toolIds', 'modelSettings'] } },
    });
    const { body, tools, messages } = services.model.requests.last!;
    expect(body).toMatchObject({ model: 'other', temperature: 0.1, max_tokens: 50 });
    expect(tools).toHaveLength(1);
    expect(contentText(messages[0]!)).toContain('Be short.');
    expect(await acme.get(`/agents/${agentId}`)).toEqual(before);
    expect(await acme.get(`/agents/${agentId}/versions`)).toHaveLength(1);
  });

  test('can be made of a disabled agent', async () => {
    const id = await createAgent(services, services.acme);
    const as = services.acme.admin;
    await services.agents.call('PATCH', `/api/agents/${id}/status`, { as, body: { enabled: false } });
    expect((await tried({}, id)).at(-1)).toMatchObject({ event: 'done', data: { text: 're: hello' } });
  });
});

describe('tools in a trial', () => {
  test('run if they only read, and are reported in the order of their calls', async () => {
    const toolId = await addTool(services, { name: 'calculate', kind: 'calculator' });
    services.model.replyInTurn(call('calculate', { expression: '12 * 34' }), 'It is 408.');
    const events = await tried({ draft: { toolIds: [toolId] } });
    const calculation = { name: 'calculate', arguments: '{"expression":"12 * 34"}', outcome: 'ok' };
    expect(events[0]).toMatchObject({ event: 'tool', data: { ...calculation, result: '12 * 34 = 408' } });
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { text: 'It is 408.', trace: { toolCalls: [{ toolId, ...calculation }] } },
    });
  });

  test('may offer choices, which come with the answer', async () => {
    const toolId = await addTool(services, { name: 'offer_choices', kind: 'offer_choices' });
    services.model.replyInTurn(call('offer_choices', { choices: ['Today', 'Tomorrow'] }), 'When?');
    const events = await tried({ draft: { toolIds: [toolId] } });
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { text: 'When?', choices: ['Today', 'Tomorrow'] },
    });
  });

  test('are never called if they belong to external services, under any rules', async () => {
    const on = await startAgents(services, {
      TOOL_INTEGRATIONS_ENABLED: 'true',
      TOOL_INTEGRATIONS_API_URL: 'http://tools.invalid/api/v3',
      TOOL_INTEGRATIONS_API_KEY: 'key',
    });
    const id = await createAgent(services, services.acme);
    const settings = { toolkit: 'mail', tool: 'MAIL_SEND', parameters: { type: 'object' } };
    const toolId = await addTool(services, { name: 'send_mail', kind: 'external', settings });
    services.model.replyInTurn(call('send_mail', { to: 'all' }), 'I would have sent it.');
    const reader = await begin({ draft: { toolIds: [toolId] } }, id, on);
    await reader.over();
    const outcome = 'not run in a trial';
    expect(reader.heard).toMatchObject([
      { event: 'tool', data: { name: 'send_mail', arguments: '{"to":"all"}', outcome } },
      ...reader.heard.slice(1, -1),
      { event: 'done', data: { text: 'I would have sent it.', trace: { toolCalls: [{ outcome }] } } },
    ]);
    expect(await eventsOf(id)).toMatchObject([{ toolCalls: 0 }]);
    for (const table of ['tool_executions', 'tool_tickets'])
      expect(await services.harness.asOwner(`select from agents.${table} where agent_id = $1`, [id])).toEqual(
        [],
      );
    await on.stop();
  });
});

describe('a trial does not begin', () => {
  const tooMany = Array.from({ length: 61 }, () => ({ role: 'user', text: 'x' }));
  const tooLong = Array.from({ length: 7 }, () => ({ role: 'user', text: 'x'.repeat(16_000) }));
  test.each([
    ['no messages', { messages: [] }, 'messages'],
    ['messages that end with the agent', { messages: [{ role: 'assistant', text: 'Hi' }] }, 'messages'],
    ['an unknown role', { messages: [{ role: 'system', text: 'Hi' }] }, 'messages.0.role'],
    ['an empty message', { messages: [{ role: 'user', text: ' ' }] }, 'messages.0.text'],
    [
      'a message that is too long',
      { messages: [{ role: 'user', text: 'x'.repeat(16_001) }] },
      'messages.0.text',
    ],
    ['too many messages', { messages: tooMany }, 'messages'],
    ['messages that are too long together', { messages: tooLong }, 'messages'],
    ['a draft without instructions', { draft: { instructions: '' } }, 'draft.instructions'],
    ["another tenant's tool", { draft: { toolIds: [randomUUID()] } }, 'toolIds.0'],
    [
      'settings that its provider does not take',
      { draft: { provider: 'anthropic', modelSettings: { reasoningEffort: 'low' } } },
      'modelSettings.reasoningEffort',
    ],
  ])('with %s: 400 that names the field', async (_what, body, path) => {
    const calls = services.model.calls.count;
    const answer = await refused(body);
    expect(answer.status).toBe(400);
    expect(answer.body.issues[0]).toMatchObject({ path });
    expect(services.model.calls.count).toBe(calls);
  });

  test('for a member, or for an agent of another tenant', async () => {
    expect((await refused({}, agentId, services.acme.member)).status).toBe(403);
    const answers = [
      await refused({ draft: { instructions: 'Tell.' } }, agentId, services.other.admin),
      await refused({}, randomUUID()),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  test('without a key: 422', async () => {
    const answer = await refused({ draft: { provider: 'openai' } });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ error: expect.stringMatching(/^there is no key/) });
  });

  test('without quota: 422, and the model is not asked', async () => {
    const { tenantId, admin } = services.other;
    const id = await createAgent(services, services.other);
    const body = { limits: { messages: 0 } };
    const made = await services.usage.call('POST', `/api/usage/${tenantId}/quota/initialize`, {
      as: admin,
      body,
    });
    expect(made.status).toBe(201);
    const calls = services.model.calls.count;
    const answer = await refused({}, id, admin);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ error: 'the quota is used up' });
    expect(services.model.calls.count).toBe(calls);
  });

  test('above the limit of one caller: 503, until one of them ends', async () => {
    services.model.hang();
    const requestsBefore = services.model.requests.count;
    const running = await Promise.all(Array.from({ length: maxTrialsOfCaller }, () => begin()));
    await eventually('all ask', () => services.model.requests.count === requestsBefore + maxTrialsOfCaller);
    expect((await refused()).status).toBe(503);
    services.model.release();
    await Promise.all(running.map((reader) => reader.over()));
    await eventually('there is room again', async () => (await tried()).at(-1)?.event === 'done');
  });
});

describe('a trial ends', () => {
  test.each([
    [401, 'the provider refused the key: store a valid one'],
    [404, 'the provider has no such model, or the key may not use it: check the model'],
    [400, 'the provider refused the request: check the model and its settings'],
  ])(
    'when the provider answers %i, with a safe reason, and with its own at most in the trace',
    async (status, error) => {
      services.model.failNext({ status, body: { error: { message: 'secret detail' } } });
      const id = await createAgent(services, services.acme, { model: `m-${status}` });
      const events = await tried({}, id);
      expect(events).toEqual([{ event: 'error', data: { error, trace: expect.any(Object) } }]);
      const { trace, ...told } = events[0]!.data as { trace: { answer: { refusal?: string } } };
      expect(JSON.stringify(told)).not.toContain('secret detail');
      expect(trace.answer.refusal).toBe(status === 400 ? 'secret detail' : undefined);
      expect(await eventsOf(id)).toHaveLength(1);
    },
  );

  test('when the message is empty', async () => {
    services.model.replyWith('');
    expect((await tried()).at(-1)).toMatchObject({
      event: 'error',
      data: { error: 'the model had nothing to say' },
    });
  });

  test('when the client leaves: the call of the model too, and it is counted as it may have cost', async () => {
    const id = await createAgent(services, services.acme);
    services.model.hang();
    const nextRequest = services.model.nextRequest();
    const reader = await begin({}, id);
    await nextRequest;
    reader.close();
    await eventually('the provider is left', () => services.model.pending === 0);
    const [counted] = await eventually('it is counted', async () => {
      const events = await eventsOf(id);
      return events.length > 0 && events;
    });
    expect(counted).toMatchObject({ keySource: 'platform', outputTokens: 4096, isEstimated: true });
  });

  test('when its time is over', async () => {
    const hasty = await startAgents(services, { MODEL_TIMEOUT_MS: '300' });
    services.model.hang();
    const reader = await begin({}, agentId, hasty);
    await reader.over();
    expect(reader.heard.at(-1)).toMatchObject({ event: 'error', data: { error: 'the model took too long' } });
    await hasty.stop();
  });

  test('when the service stops, which waits for it', async () => {
    const id = await createAgent(services, services.acme);
    const stopping = await startAgents(services);
    services.model.hang();
    const nextRequest = services.model.nextRequest();
    const reader = await begin({}, id, stopping);
    await nextRequest;
    await stopping.stop();
    await reader.over();
    expect(await eventsOf(id)).toHaveLength(1);
  });
});
