/**
 * Admission with grammY's webhook and a BullMQ job per update. The job ID is the update's number, so a repeated update
 * is stored once.
 */
import { createServer } from 'node:http';
import { serve } from '../ready.ts';
import { createBot, createQueue, webhookOf } from './packages.ts';

const queue = createQueue();
const bot = createBot();
bot.on('message', async ({ update }) => {
  await queue.add('update', update, { jobId: `update-${update.update_id}` });
});

process.on('message', async (message) => {
  if (message === 'count') process.send?.({ count: await queue.getJobCountByTypes('waiting') });
});
const answer = webhookOf(bot);
serve(createServer((req, res) => void answer(req, res)));
