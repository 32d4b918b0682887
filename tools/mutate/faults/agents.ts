import { faultsOf } from '../fault.ts';

const src = (name: string) => `services/agents/src/${name}.ts`;
const test = (name: string) => `services/agents/test/${name}.test.ts`;

export const agentFaults = [
  ...faultsOf(src('external-tools/domain/access'), test('external-tools/domain/access'), [
    ['the mildest of several rules holds', "['deny', 'approval', 'allow']", "['allow', 'approval', 'deny']"],
    [
      'whoever claims to be somebody has their rights',
      "if (!isProven && theirs.every(namesPerson)) return 'deny';",
      '',
    ],
    [
      'what no rule names is allowed',
      "strictness.find((effect) => effects.includes(effect)) ?? 'deny'",
      "strictness.find((effect) => effects.includes(effect)) ?? 'allow'",
    ],
    ['a group of tools holds every tool', 'members.includes(member) || ', 'members.length > 0 || '],
  ]),
  ...faultsOf(src('models/clients/circuit-breaker'), test('models/clients/circuit-breaker'), [
    ['two probes go at once', 'this.#isProbing = true;', ''],
    [
      'a failing server is asked as often as before',
      'this.#open(this.#openedForMs * 2)',
      'this.#open(this.#openedForMs)',
    ],
    ['a server may be left alone for ever', 'Math.min(forMs, this.#options.longestOpenMs)', 'forMs'],
  ]),
  ...faultsOf(src('models/clients/provider-health'), test('models/clients/provider-health'), [
    ["one tenant's failures close a provider to all", 'this.#of(', "this.#of('all' || "],
  ]),
  ...faultsOf(src('models/domain/platform-rest'), test('models/domain/platform-rest'), [
    [
      'a refused model rests the whole provider',
      "failure === 'key refused' ? keyName(wanted) : modelName(wanted)",
      'keyName(wanted)',
    ],
    ['a provider says how long it rests', 'Math.min(restMs, longestMs)', 'restMs'],
  ]),
  ...faultsOf(src('models/domain/token-budget'), test('models/domain/token-budget'), [
    ['tools may use up what the answer needs', 'this.#input >= requestTokens * 2 + leastRoom && ', ''],
  ]),
  ...faultsOf(src('routing/domain/assignment'), test('routing/domain/assignment'), [
    [
      'the assignment with the lowest priority counts',
      'right.priority - left.priority ||',
      'left.priority - right.priority ||',
    ],
    ['an assignment holds in every language', 'if (!saysInLanguage(language, spoken)) return false;', ''],
  ]),
  ...faultsOf(src('routing/domain/triage'), test('routing/domain/triage'), [
    [
      'a disabled agent answers',
      'const enabled = input.agents.filter(({ isEnabled }) => isEnabled);',
      'const enabled = input.agents;',
    ],
    [
      'a place is assigned to a disabled agent',
      'assignments.find(({ agent }) => agent.isEnabled)',
      'assignments[0]',
    ],
    ['whoever answered last has no advantage', 'const stickyScore = 3;', 'const stickyScore = 0;'],
  ]),
  ...faultsOf(src('tools/domain/http-get'), test('tools/domain/http-get'), [
    ['a page of any host is read', '!settings.hosts.includes(url.hostname)', 'settings.hosts.length === 0'],
    ['a compressed page is read', "encoding !== 'identity'", 'false'],
  ]),
  ...faultsOf(src('turns/domain/next-turn'), test('turns/domain/next-turn'), [
    [
      'a command is answered together with a message',
      'last.command !== null || next.command !== null || ',
      '',
    ],
    ['a message is passed over for a later one', ' || next.seq !== last.seq + 1', ''],
  ]),
  ...faultsOf(
    src('answering/domain/question/context-window'),
    test('answering/domain/question/context-window'),
    [
      ['a conversation of any length is sent to the model', 'if (tokens > left) break;', ''],
      [
        'long instructions leave no room for the conversation',
        'Math.max(room, leastContextTokenBudget)',
        'room',
      ],
    ],
  ),
  ...faultsOf(src('apps/domain/spec-faults'), test('apps/domain/spec-faults'), [
    ['two routes may say the same', '...hidden(spec.routes),', ''],
    ['a route may lead to no agent', 'declaredNames.agents.has(item.agent)', 'true'],
  ]),
];
