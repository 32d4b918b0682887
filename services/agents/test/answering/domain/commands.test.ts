import { expect, test } from 'vitest';
import { runCommand } from '../../../src/answering/domain/answer.ts';
import { english } from '../../in-english.ts';

const greeting = english('greeting', { bot: 'Support' });
const help = english('help');

test.each([
  ['start', '', { reply: greeting, resetsContext: false }],
  ['start', 'deep-link', { reply: greeting, resetsContext: false }],
  ['help', '', { reply: help, resetsContext: false }],
  ['new', '', { reply: english('new_conversation'), resetsContext: true }],
  ['reset', '', { reply: english('new_conversation'), resetsContext: true }],
  ['stop', '', { reply: english('goodbye'), resetsContext: false }],
  ['unknown', '', { reply: help, resetsContext: false }],
  ['unknown', 'why?', { ask: 'why?' }],
  ['__proto__', '', { reply: help, resetsContext: false }],
])('/%s %s comes to the text or the question that it stands for', (name, argument, expected) => {
  expect(runCommand({ name, argument }, { bot: 'Support', say: english })).toEqual(expected);
});
