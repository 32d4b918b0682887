import type { Cause } from '../../models/domain/cause.ts';

const apologies: Readonly<Record<Cause, string>> = {
  timeout: 'Sorry, my answer took too long. Please ask me again.',
  unavailable: 'Sorry, I cannot think clearly right now. Please try again in a few minutes.',
  'rate limited': 'Sorry, I am very busy right now. Please try again in a minute.',
  'key refused': 'Sorry, I cannot answer at the moment: the people who run me need to check my settings.',
  'model refused':
    'Sorry, I cannot answer at the moment: the people who run me need to check which model I use.',
  refused: 'Sorry, I could not work with that message. Please try to put it differently.',
  'unusable answer': 'Sorry, I found no words for that. Please try to put it differently.',
  'empty answer': 'Sorry, I found no words for that. Please try to put it differently.',
  'no key': 'Sorry, I cannot answer yet: the people who run me still need to give me access to a model.',
  'no agent': 'Sorry, nobody is here to answer yet: the people who run me still need to set up an agent.',
  'agent disabled':
    'Sorry, I am switched off for the moment: the people who run me need to switch me on again.',
  'quota exhausted': 'Sorry, I have answered all I may for now. Please try again later.',
  'allowance used up': 'Sorry, I have answered all I may for this month. Please tell the people who run me.',
  'unsupported content': 'Sorry, I can only read text so far. Please write to me in words.',
  'private chat not granted':
    'Sorry, I cannot talk with you here yet: the people who run me need to let you in first.',
};

export const apologyFor = (cause: Cause): string => apologies[cause];

/** Said once, while the model is still at it. */
export const delayNotice = 'This takes longer than usual. I am still working on it.';

/** An agent has asked for a person. */
export const handoverNotice =
  'I would like a person to help you with this, and I have asked for one. They will write to you here.';

export const greeting = (botName: string): string =>
  `Hello! I am ${botName}. Write to me, and I will answer.`;

export const help = [
  'Write to me in your own words, and I will answer.',
  '',
  '/new begins a new conversation: I forget what was said before.',
  '/stop ends the answer that I am at.',
  '/help shows this text.',
].join('\n');

export const newConversation = 'A new conversation: I have forgotten what was said before.';
export const goodbye = 'All right, I stop. Write to me whenever you need me.';

const maxNames = 20;

/** Names are their owners' words: each is kept to a line, and none is formatting. */
export const shown = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[\\`*_[\]()#<>~|!]/g, '\\$&')
    .trim();

/** What `/agent` answers when it names nobody. */
export function listOfAgents(names: readonly string[]): string {
  if (names.length === 0) return apologyFor('agent disabled');
  const listed = names.slice(0, maxNames).map((name) => `- ${shown(name)}`);
  return [
    'You can ask one of these by beginning with /agent and the name:',
    '',
    ...listed,
    ...(names.length > maxNames ? [`- and ${names.length - maxNames} more`] : []),
  ].join('\n');
}

export const agentAnswersNow = (name: string): string => `${shown(name)} answers you now.`;
