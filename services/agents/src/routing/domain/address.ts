import type { RoutedAgent } from '../store/routing-view.ts';
import { plainName } from './plain-words.ts';

/** The agent that a message addresses, if any. */
type Address =
  /** No agent. The text is unchanged. */
  | { to: 'anybody'; text: string }
  /** This agent. The text is what follows its name. */
  | { to: 'agent'; agent: RoutedAgent; text: string }
  /** `/agent` without a name, or with the name of no agent here. */
  | { to: 'unknown' };

const command = /^\s*\/agent(?:@\w+)?(?=\s|$)\s*@?/i;
const sign = /^\s*@(?=\S)/;
/** A name ends before any character other than a letter, digit, underscore or hyphen. */
const goesOn = /^[\p{L}\p{M}\p{N}_-]/u;
const punctuation = /^[\s,:;]+/;

/**
 * Reads `/agent name …` and `@name …` at the beginning of a message. The longest matching name wins, in any case, with
 * spaces or hyphens. An unknown `@name` may belong to another person, while an unknown `/agent name` is an error to
 * report. Disabled agents can't be addressed.
 */
export function readAddress(text: string, agents: readonly RoutedAgent[]): Address {
  const commandMatch = command.exec(text);
  const lead = commandMatch ?? sign.exec(text);
  if (!lead) return { to: 'anybody', text };
  const named = findName(text.slice(lead[0].length), agents);
  if (named) return { to: 'agent', ...named };
  return commandMatch ? { to: 'unknown' } : { to: 'anybody', text };
}

function findName(
  text: string,
  agents: readonly RoutedAgent[],
): { agent: RoutedAgent; text: string } | undefined {
  const byName = new Map<string, RoutedAgent>();
  for (const agent of agents) {
    const name = plainName(agent.name);
    if (agent.isEnabled && name !== '' && !byName.has(name)) byName.set(name, agent);
  }
  // A decomposed letter has a few units more than its composed form.
  const longest = 4 * Math.max(0, ...[...byName.keys()].map(({ length }) => length));
  let found: { agent: RoutedAgent; text: string } | undefined;
  let end = 0;
  for (const character of text.slice(0, longest + 1)) {
    end += character.length;
    if (goesOn.test(text.slice(end, end + 2))) continue;
    const agent = byName.get(plainName(text.slice(0, end)));
    if (agent) found = { agent, text: text.slice(end).replace(punctuation, '') };
  }
  return found;
}
