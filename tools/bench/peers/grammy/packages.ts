import type { IncomingMessage, ServerResponse } from 'node:http';
import { installed } from '../fetch/installed.ts';
import { setting } from '../ready.ts';

/** The parts of grammY and BullMQ that the peers use. */
interface Context {
  update: { update_id: number; message?: { chat: { id: number }; text?: string } };
}
interface Bot {
  api: { sendMessage(chatId: number, text: string): Promise<unknown> };
  on(filter: 'message', handle: (context: Context) => Promise<void>): void;
}
export interface Job {
  data: Context['update'];
}
interface Queue {
  add(name: string, content: unknown, options: object): Promise<unknown>;
  getJobCountByTypes(...types: string[]): Promise<number>;
}

const grammy = installed('grammy') as {
  Bot: new (token: string, options: object) => Bot;
  webhookCallback: (
    bot: Bot,
    adapter: 'http',
    options: object,
  ) => (req: IncomingMessage, res: ServerResponse) => Promise<void>;
};
const bullmq = installed('bullmq') as {
  Queue: new (name: string, options: object) => Queue;
  Worker: new (name: string, process: (job: Job) => Promise<void>, options: object) => object;
};

const queueName = 'updates';
const connection = () => ({ host: '127.0.0.1', port: Number(setting('REDIS_PORT')) });

/** Creates the bot with its data, so that it doesn't query the messenger at the start. */
export function createBot(apiRoot?: string): Bot {
  const token = setting('BOT_TOKEN');
  const botInfo = {
    id: Number(token.split(':')[0]),
    is_bot: true,
    first_name: 'Bench',
    username: 'bench_bot',
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
  };
  return new grammy.Bot(token, { botInfo, ...(apiRoot ? { client: { apiRoot } } : {}) });
}

export const webhookOf = (bot: Bot) =>
  grammy.webhookCallback(bot, 'http', { secretToken: setting('WEBHOOK_SECRET') });

export const createQueue = (): Queue => new bullmq.Queue(queueName, { connection: connection() });

/** Creates a worker that starts immediately. */
export function createWorker(work: (job: Job) => Promise<void>, concurrency: number): void {
  new bullmq.Worker(queueName, work, {
    connection: { ...connection(), maxRetriesPerRequest: null },
    concurrency,
  });
}
