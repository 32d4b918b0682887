/**
 * A complete bot with grammY and BullMQ. The webhook stores each update as a job. A worker in the same process calls
 * the model and sends the answer.
 */
import { createServer } from 'node:http';
import { serve, setting } from '../ready.ts';
import { createBot, createQueue, createWorker, type Job, webhookOf } from './packages.ts';

const concurrency = 64;
const model = `${setting('MODEL_URL')}/chat/completions`;
const queue = createQueue();
const bot = createBot(setting('MESSENGER_URL'));

bot.on('message', async ({ update }) => {
  await queue.add('update', update, { jobId: `update-${update.update_id}`, removeOnComplete: 1000 });
});

async function answerOne({ data }: Job): Promise<void> {
  const { message } = data;
  if (!message?.text) return;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: message.text }] });
  const completion = (await (await fetch(model, { method: 'POST', headers, body })).json()) as {
    choices: { message: { content: string } }[];
  };
  await bot.api.sendMessage(message.chat.id, completion.choices[0]?.message.content ?? '');
}

createWorker(answerOne, concurrency);
const answer = webhookOf(bot);
serve(createServer((req, res) => void answer(req, res)));
