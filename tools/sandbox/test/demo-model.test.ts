import { expect, test } from 'vitest';
import { demoReply } from '../demo-model.ts';

function ask(...texts: string[]) {
  const messages = [
    { role: 'system', content: 'You help the customers of Acme. Be brief.' },
    ...texts.map((content) => ({ role: 'user', content })),
  ];
  return demoReply({
    protocol: 'openai',
    model: 'sandbox',
    messages,
    tools: [],
    toolResults: [],
    stream: false,
    body: {},
    headers: {},
  });
}

test('greets, repeats what it understood, says what it is and how to connect a real model', async () => {
  const answer = await ask('hello');
  expect(answer).toContain('Hello');
  expect(answer).toContain('“hello”');
  expect(answer).toContain('You help the customers of Acme.');
  expect(answer).toContain('PRIVATE_LLM_BASE_URL');
  expect(await ask('hello')).toBe(answer);
});

test('knows how long the conversation is', async () => {
  expect(await ask('hello', 'and now?')).toContain('message 2');
});

test('a long answer needs more than one message of the messenger', async () => {
  const answer = await ask('something long, please');
  expect(String(answer).length).toBeGreaterThan(4096);
  expect(answer).toContain('```');
});

test('fails when it is asked to', async () => {
  expect(await ask('please fail')).toEqual({ status: 500 });
});
