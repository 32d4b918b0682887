import { countBotDays } from '@botyard/contracts/events/agents';
import { sumBotDays } from '@botyard/contracts/events/usage';
import type { BotStats } from '@botyard/contracts/http/bot-stats';
import { ask } from '@botyard/shared/bus/requests';
import { invalid } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';

const dayMs = 86_400_000;
const defaultDays = 30;
const maxDays = 366;

interface DaySpan {
  from: string;
  to: string;
}

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The requested UTC days, both ends included; by default the last 30. @throws HttpError 400. */
export function spanOf(wanted: { from?: string | undefined; to?: string | undefined }, now: Date): DaySpan {
  const to = wanted.to ?? dayAt(now.getTime());
  const from = wanted.from ?? dayAt(Date.parse(to) - (defaultDays - 1) * dayMs);
  if (from > to) throw invalid([{ path: ['from'], message: `must not be after ${to}` }]);
  if (daysOf({ from, to }) > maxDays)
    throw invalid([{ path: ['from'], message: `at most ${maxDays} days can be requested` }]);
  return { from, to };
}

const daysOf = ({ from, to }: DaySpan): number => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

/** A bot's statistics for these days, from agents and usage. @throws HttpError 503 when one of them doesn't answer. */
export async function getBotStats(
  { bus }: Pick<Deps, 'bus'>,
  bot: { tenantId: string; botId: string },
  span: DaySpan,
): Promise<BotStats> {
  const wanted = { ...bot, ...span };
  const [said, used] = await Promise.all([ask(bus, countBotDays, wanted), ask(bus, sumBotDays, wanted)]);
  const saidOn = new Map(said.days.map(({ day, ...figures }) => [day, figures]));
  const usedOn = new Map(used.days.map(({ day, ...figures }) => [day, figures]));
  const days = Array.from({ length: daysOf(span) }, (_, index) => {
    const day = dayAt(Date.parse(span.from) + index * dayMs);
    return {
      day,
      ...(saidOn.get(day) ?? silence),
      ...(usedOn.get(day) ?? { inputTokens: 0, outputTokens: 0 }),
    };
  });
  const sum = (field: 'inputTokens' | 'outputTokens') =>
    used.days.reduce((total, figures) => total + figures[field], 0);
  const totals = { ...said.totals, inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') };
  return { botId: bot.botId, ...span, totals, days };
}

const silence = { messagesIn: 0, messagesOut: 0, chats: 0, people: 0, latencyMs: null };
