import type { ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices } from '../../../agents-services.ts';
import { apologyFor, english } from '../../../in-english.ts';
import { addTool, ask, call, equippedBot } from './equipped.ts';

let services: AgentsServices;
let toolIds: string[];

beforeAll(async () => {
  services = await openAgentsServices();
  toolIds = [await addTool(services, { name: 'calculator', kind: 'calculator' })];
});
afterAll(() => services?.close());

const bot = () => equippedBot(services, {}, { toolIds });
const chat = (message: object, finish_reason: string) => ({
  status: 200,
  body: {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }],
  },
});
const calculation = {
  content: null,
  tool_calls: [
    { id: 'c', type: 'function', function: { name: 'calculator', arguments: '{"expression": "6*7"}' } },
  ],
};
const modelRecordOf = (turn: object) => (turn as { model_record: object }).model_record;

describe('an answer', () => {
  test('that was cut says so in a paragraph after the text, and so does its trace', async () => {
    services.model.replyWith(() => chat({ content: 'First hold the' }, 'length'));
    const { reply, turn } = await ask(services, await bot());
    expect(reply).toBe(`First hold the\n\n${english('answer.cut')}`);
    expect(modelRecordOf(turn)).toMatchObject({ ending: 'cut', finishReason: 'length' });
  });

  test('that was cut in code ends the code before it says so', async () => {
    services.model.replyWith(() => chat({ content: 'Like this:\n```js\nadd(' }, 'length'));
    expect((await ask(services, await bot())).reply).toBe(
      `Like this:\n\`\`\`js\nadd(\n\`\`\`\n\n${english('answer.cut')}`,
    );
  });

  test('that a filter ended says so after the text, and alone if there is none', async () => {
    services.model.replyWith(() => chat({ content: 'Well,' }, 'content_filter'));
    expect((await ask(services, await bot())).reply).toBe(`Well,\n\n${english('answer.filtered')}`);
    services.model.replyWith(() => chat({ content: '' }, 'content_filter'));
    const { reply, turn } = await ask(services, await bot());
    expect(reply).toBe(english('answer.filtered'));
    expect(turn).toMatchObject({ outcome: 'apologized', failure: 'filtered' });
    expect(modelRecordOf(turn)).toMatchObject({ ending: 'filtered', leavesOut: 'question' });
  });

  test('in another language says so in that language', async () => {
    services.model.replyWith(() => chat({ content: 'Zuerst' }, 'length'));
    const sender = { platformUserId: '1', name: 'Anna', language: 'de' };
    const { reply } = await ask(services, await bot(), 'hallo', { sender } as object);
    expect(reply).toContain('abgeschnitten');
  });

  test('has no thoughts in it, nor has what the model is shown later', async () => {
    services.model.replyWith((request: ModelRequest) =>
      request.toolResults.length > 0
        ? chat({ content: '<think>The limit is 50.</think>It is 42.', reasoning_content: 'secret' }, 'stop')
        : chat({ ...calculation, content: '<think>I call it.</think>Let me see.' }, 'tool_calls'),
    );
    const { reply, turn } = await ask(services, await bot());
    expect(reply).toBe('It is 42.');
    expect(JSON.stringify(services.model.requests.last!.messages)).not.toContain('I call it');
    expect(modelRecordOf(turn)).toMatchObject({ thoughtUnits: expect.any(Number) });
    expect(JSON.stringify(turn)).not.toContain('limit is 50');
  });

  test('that is empty after a call is the text beside the call', async () => {
    services.model.replyWith((request: ModelRequest) =>
      request.toolResults.length > 0
        ? chat({ content: '' }, 'stop')
        : chat({ ...calculation, content: 'I have looked it up.' }, 'tool_calls'),
    );
    const { reply, turn } = await ask(services, await bot());
    expect(reply).toBe('I have looked it up.');
    expect(turn.outcome).toBe('answered');
  });

  test('that fails at its end is asked for again', async () => {
    services.model.replyInTurn(chat({ content: 'Half of' }, 'error'), 'whole');
    expect((await ask(services, await bot())).reply).toBe('whole');
  });

  test('that the provider pauses is continued', async () => {
    const { keys, acme } = services;
    const key = { provider: 'anthropic', apiKey: 'sk-ant-0123456789' };
    await keys.call('POST', `/api/keys/${acme.tenantId}`, { as: acme.admin, body: key });
    const anthropic = await equippedBot(services, { provider: 'anthropic', model: 'claude' }, { toolIds });
    const said = (text: string, stop_reason: string) => ({
      status: 200,
      body: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        stop_reason,
        stop_sequence: null,
        content: [{ type: 'text', text }],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    });
    services.model.replyInTurn(said('First, ', 'pause_turn'), said('then the rest.', 'end_turn'));
    expect((await ask(services, anthropic)).reply).toBe('First, then the rest.');
  });
});

describe('a call that was cut', () => {
  test('is not run, but asked for once more with twice the room', async () => {
    const rooms: unknown[] = [];
    services.model.replyWith((request: ModelRequest) => {
      rooms.push(request.body.max_tokens);
      if (request.toolResults.length > 0) return 'It is 42.';
      return rooms.length === 1 ? chat(calculation, 'length') : call('calculator', { expression: '6*7' });
    });
    const { reply, turn } = await ask(services, await bot());
    expect(reply).toBe('It is 42.');
    expect(turn.tool_calls).toHaveLength(1);
    expect(rooms[1]).toBe(Number(rooms[0]) * 2);
  });

  test('twice is not run at all', async () => {
    services.model.replyWith(() => chat(calculation, 'length'));
    const { reply, turn } = await ask(services, await bot());
    expect(turn.tool_calls).toEqual([]);
    expect(reply).toBe(apologyFor('empty answer'));
  });
});
