import type { Say } from '@botyard/words/words';
import { speaking } from '@botyard/words/words';
import type { BotRow } from '../../store/bots.ts';
import type { SaidRow } from '../store/messages.ts';

/** A bot's built-in texts in one turn, in the person's language. */
export const sayingTo = (
  bot: Pick<BotRow, 'defaultLanguage' | 'words'>,
  turn: readonly Pick<SaidRow, 'sender'>[],
  context: readonly Pick<SaidRow, 'sender'>[] = [],
): Say => speaking(languageOf(turn, context), bot);

/**
 * The language of the first person in the turn whose app sends one. A notice has no language: it takes the one of the
 * person's last message, which comes first in `context`.
 */
function languageOf(
  turn: readonly Pick<SaidRow, 'sender'>[],
  context: readonly Pick<SaidRow, 'sender'>[],
): string | null {
  const language = turn.find(({ sender }) => sender?.language)?.sender?.language;
  if (language) return language;
  const writers = new Set(turn.flatMap(({ sender }) => (sender ? [sender.platformUserId] : [])));
  const before = context.find(({ sender }) => sender?.language && writers.has(sender.platformUserId));
  return before?.sender?.language ?? null;
}

const maxNames = 20;

/** Names are chosen by their owners: each is limited to one line, without formatting. */
export const asPlainLine = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[\\`*_[\]()#<>~|!]/g, '\\$&')
    .trim();

/** The answer to `/agent` without a name. */
export function listOfAgents(say: Say, names: readonly string[]): string {
  if (names.length === 0) return say('agent_disabled');
  const listed = names.slice(0, maxNames).map((name) => `- ${asPlainLine(name)}`);
  const more = names.length - maxNames;
  return [
    say('agents_list'),
    '',
    ...listed,
    ...(more > 0 ? [`- ${say('agents_more', { count: more })}`] : []),
  ].join('\n');
}

export const agentAnswersNow = (say: Say, name: string): string =>
  say('agent_chosen', { agent: asPlainLine(name) });
