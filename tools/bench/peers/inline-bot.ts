/** A minimal bot that makes both calls in one process, and checks and stores nothing. */
import { createServer, type IncomingMessage } from 'node:http';
import { serve, setting } from './ready.ts';

const messenger = `${setting('MESSENGER_URL')}/bot${setting('BOT_TOKEN')}/sendMessage`;
const model = `${setting('MODEL_URL')}/chat/completions`;

interface Update {
  message: { chat: { id: number }; text: string };
}

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return await answer.json();
}

async function answer(req: IncomingMessage): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of req as AsyncIterable<Buffer>) parts.push(part);
  const { message } = JSON.parse(Buffer.concat(parts).toString('utf8')) as Update;
  const messages = [{ role: 'user', content: message.text }];
  const completion = (await post(model, { model: 'sandbox', messages })) as {
    choices: { message: { content: string } }[];
  };
  await post(messenger, { chat_id: message.chat.id, text: completion.choices[0]?.message.content });
}

serve(
  createServer((req, res) => {
    answer(req).catch((error: unknown) => console.error(error));
    res.setHeader('content-type', 'application/json');
    res.end('{}');
  }),
);
