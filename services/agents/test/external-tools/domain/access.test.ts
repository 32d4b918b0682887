import { expect, test } from 'vitest';
import { decideAccess, type Rule } from '../../../src/external-tools/domain/access.ts';

const any: Rule = {
  effect: 'allow',
  userId: null,
  userGroupId: null,
  botId: null,
  agentId: null,
  toolkit: null,
  tool: null,
  toolGroupId: null,
};
const allow = (about: Partial<Rule> = {}): Rule => ({ ...any, ...about });
const deny = (about: Partial<Rule> = {}): Rule => ({ ...any, effect: 'deny', ...about });
const approve = (about: Partial<Rule> = {}): Rule => ({ ...any, effect: 'approval', ...about });

const groups = new Map([
  ['team', ['anna', 'ben']],
  ['sending', ['MAIL_SEND', 'chat/*']],
]);
const call = {
  people: [{ userIds: ['anna-on-messenger', 'anna'], isProven: true }],
  botId: 'support',
  agentId: 'clerk',
  toolkit: 'mail',
  tool: 'MAIL_SEND',
};
const forBoth = { ...call, people: [...call.people, { userIds: ['carl'], isProven: true }] };
const unproven = { ...call, people: [{ userIds: ['anna-on-mail', 'anna'], isProven: false }] };

const cases: [what: string, rules: Rule[], due: 'allow' | 'approval' | 'deny', given?: typeof call][] = [
  ['no rule', [], 'deny'],
  ['a rule for everything', [allow()], 'allow'],
  ['deny wins over allow', [allow(), deny()], 'deny'],
  [
    'deny wins, however general',
    [allow({ userId: 'anna', tool: 'MAIL_SEND' }), deny({ toolkit: 'mail' })],
    'deny',
  ],
  ['deny wins, in whatever order', [deny({ toolkit: 'mail' }), allow()], 'deny'],
  ['deny wins over approval', [approve(), deny()], 'deny'],
  ['approval wins over allow', [allow(), approve()], 'approval'],
  ['by user', [allow({ userId: 'anna' })], 'allow'],
  ['by the person of the platform', [allow({ userId: 'anna-on-messenger' })], 'allow'],
  ['by another user', [allow({ userId: 'ben' })], 'deny'],
  ['deny by the linked user', [allow(), deny({ userId: 'anna' })], 'deny'],
  ['by group', [allow({ userGroupId: 'team' })], 'allow'],
  ['by a group that is gone', [allow({ userGroupId: 'gone' })], 'deny'],
  ['by bot', [allow({ botId: 'support' })], 'allow'],
  ['by another bot', [allow({ botId: 'sales' })], 'deny'],
  ['by agent', [allow({ agentId: 'clerk' })], 'allow'],
  ['by another agent', [allow({ agentId: 'boss' })], 'deny'],
  ['by toolkit', [allow({ toolkit: 'mail' })], 'allow'],
  ['by another toolkit', [allow({ toolkit: 'calendar' })], 'deny'],
  ['by tool', [allow({ tool: 'MAIL_SEND' })], 'allow'],
  ['by another tool', [allow({ tool: 'MAIL_LIST' })], 'deny'],
  ['by group of tools', [allow({ toolGroupId: 'sending' })], 'allow'],
  [
    'by group of tools, a whole toolkit',
    [allow({ toolGroupId: 'sending' })],
    'allow',
    { ...call, toolkit: 'chat', tool: 'CHAT_SAY' },
  ],
  [
    'by group of tools, another one',
    [allow({ toolGroupId: 'sending' })],
    'deny',
    { ...call, tool: 'MAIL_LIST' },
  ],
  ['all of a rule has to fit', [allow({ userId: 'anna', botId: 'sales' })], 'deny'],
  ['all of a rule fits', [allow({ userId: 'anna', botId: 'support', tool: 'MAIL_SEND' })], 'allow'],
  ['for two people, one without a rule', [allow({ userId: 'anna' })], 'deny', forBoth],
  ['for two people, one with approval', [allow(), approve({ userId: 'carl' })], 'approval', forBoth],
  ['for two people, one denied', [allow(), deny({ userId: 'carl' })], 'deny', forBoth],
  ['for nobody', [allow()], 'deny', { ...call, people: [] }],
  // W-21: a mail whose sender isn't proven.
  ['unproven, a rule for everybody', [allow()], 'allow', unproven],
  ['unproven, allowed by user', [allow({ userId: 'anna' })], 'deny', unproven],
  ['unproven, allowed by group', [allow({ userGroupId: 'team' })], 'deny', unproven],
  ['unproven, approval by user', [approve({ userId: 'anna' })], 'deny', unproven],
  ['unproven, approval for all', [approve(), allow({ userId: 'anna' })], 'approval', unproven],
  ['unproven, denied by user', [allow(), deny({ userId: 'anna' })], 'deny', unproven],
  ['unproven, restricted by user', [allow(), approve({ userGroupId: 'team' })], 'approval', unproven],
  [
    'beside somebody proven',
    [allow({ userId: 'anna' })],
    'deny',
    { ...call, people: [...call.people, ...unproven.people] },
  ],
];

test.each(cases)('%s', (_what, rules, due, given = call) => {
  expect(decideAccess(rules, groups, given)).toBe(due);
});
