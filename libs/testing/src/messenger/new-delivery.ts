/** Creates a delivery for an update: its queue, how long the platform retries, and whether it is sent at all. */
import type { Bot, Delivery, Entry } from './types.ts';
import { isWanted } from './webhook.ts';

export type DeliveryHints = { source?: NonNullable<Delivery['source']>; isWithheld: boolean };

/** Without an `update_id` the update gets the bot's next one. */
export function newDelivery(bot: Bot, update: Record<string, unknown>, how: DeliveryHints): Delivery {
  const kind = Object.keys(update).find((key) => key !== 'update_id') ?? '';
  const { queue, livesMs } = queueOf(kind, update[kind]);
  const updateId = typeof update.update_id === 'number' ? update.update_id : bot.nextUpdateId++;
  bot.nextUpdateId = Math.max(bot.nextUpdateId, updateId + 1);
  return {
    botId: bot.id,
    updateId,
    update: { ...update, update_id: updateId },
    queue,
    expiresAt: Date.now() + livesMs,
    state: how.isWithheld || !isWanted(bot, kind) ? 'withheld' : 'queued',
    attempts: [],
    ...(how.source === undefined ? {} : { source: how.source }),
  };
}

/** The delivery's state in a chat's history. */
export function deliverySummary({ attempts, state, retryInMs }: Delivery): NonNullable<Entry['delivery']> {
  const last = attempts.at(-1);
  return {
    state,
    attempts: attempts.length,
    ...(last?.status === undefined ? {} : { lastStatus: last.status }),
    ...(last?.error === undefined ? {} : { lastError: last.error }),
    ...(retryInMs === undefined ? {} : { retryInMs }),
  };
}

/** The queue of an update and how long the platform retries, by its kind. */
function queueOf(kind: string, content: unknown): { queue: string; livesMs: number } {
  const fields = asRecord(content);
  const chatId = asRecord(fields.chat).id;
  const userId = asRecord(fields.from).id;
  const dayMs = 24 * 3600 * 1000;
  if (kind === 'callback_query') return { queue: `callback:${String(userId)}`, livesMs: 150_000 };
  if (kind === 'inline_query') return { queue: `inline:${String(userId)}`, livesMs: 30_000 };
  if (kind === 'my_chat_member') return { queue: `my_chat_member:${String(chatId)}`, livesMs: dayMs };
  return { queue: `chat:${String(chatId ?? kind)}`, livesMs: dayMs };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
