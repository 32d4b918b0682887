import { expect, test } from 'vitest';
import { runCommand } from '../../../src/answering/domain/commands.ts';
import { goodbye, greeting, help, newConversation } from '../../../src/conversations/domain/phrases.ts';

test.each([
  ['start', '', { reply: greeting('Support'), resetsContext: false }],
  ['start', 'deep-link', { reply: greeting('Support'), resetsContext: false }],
  ['help', '', { reply: help, resetsContext: false }],
  ['new', '', { reply: newConversation, resetsContext: true }],
  ['reset', '', { reply: newConversation, resetsContext: true }],
  ['stop', '', { reply: goodbye, resetsContext: false }],
  ['unknown', '', { reply: help, resetsContext: false }],
  ['unknown', 'why?', { ask: 'why?' }],
  ['__proto__', '', { reply: help, resetsContext: false }],
])('/%s %s comes to the text or the question that it stands for', (name, argument, expected) => {
  expect(runCommand({ name, argument }, 'Support')).toEqual(expected);
});
