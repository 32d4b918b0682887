import type { ChatFigures } from '@botyard/contracts/http/bot-stats';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { countMessages, type LatencyRow, type MessageCounts, measureLatency } from '../store/bot-days.ts';

const dayMs = 86_400_000;
const nothing = { messagesIn: 0, messagesOut: 0, chats: 0, people: 0 };

/** A bot's activity in the UTC days from `from` to `to` (`YYYY-MM-DD`, both included), in total and per active day. */
export async function countBotDays(
  database: Database,
  { from, to, ...bot }: { tenantId: string; botId: string; from: string; to: string },
): Promise<{ totals: ChatFigures; days: (ChatFigures & { day: string })[] }> {
  const span = { ...bot, from: new Date(from), before: new Date(Date.parse(to) + dayMs) };
  const [counts, latencies] = await withTenant(database, [bot.tenantId], (tx) =>
    Promise.all([countMessages(tx, span), measureLatency(tx, span)]),
  );
  const countOf = new Map(counts.map((row) => [row.day, row]));
  const latencyOf = new Map(latencies.map((row) => [row.day, row]));
  const figuresOf = (day: string | null) => toFigures(countOf.get(day), latencyOf.get(day));
  const days = new Set([...countOf.keys(), ...latencyOf.keys()]);
  return {
    totals: figuresOf(null),
    days: [...days].flatMap((day) => (day === null ? [] : [{ day, ...figuresOf(day) }])),
  };
}

function toFigures(counts: MessageCounts | undefined, latency: LatencyRow | undefined): ChatFigures {
  const { messagesIn, messagesOut, chats, people } = counts ?? nothing;
  const latencyMs = latency ? { p50: latency.p50, p95: latency.p95 } : null;
  return { messagesIn, messagesOut, chats, people, latencyMs };
}
