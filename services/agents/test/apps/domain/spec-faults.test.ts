import { randomUUID } from 'node:crypto';
import { AppSpec, maxSpecDepth } from '@botyard/contracts/http/app-spec';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultsOf, readSpec, whyUnkept } from '../../../src/apps/domain/spec-faults.ts';
import { orderType } from '../../app-calls.ts';

const agent = (key: string, more: object = {}) => ({ key, agentId: randomUUID(), ...more });
const route = (name: string, to: string, when: object = { match: 'default' }, more: object = {}) => ({
  name,
  agent: to,
  when,
  ...more,
});
const spec = (parts: object) => ({ specVersion: 1, ...parts });
const paths = (draft: unknown) => faultsOf(draft).map(({ path }) => path);

test('a spec in which everything fits has no fault', () => {
  const draft = spec({
    agents: [agent('desk', { records: [{ type: 'order', may: ['save', 'find'] }], capabilities: ['sums'] })],
    capabilities: [{ key: 'sums', capabilityId: randomUUID() }],
    recordTypes: [orderType],
    routes: [
      route('words', 'desk', { match: 'words', words: ['Order'], language: 'DE' }),
      route('command', 'desk', { match: 'command', command: 'order' }),
      route('rest', 'desk'),
    ],
  });
  expect(faultsOf(draft)).toEqual([]);
  expect(AppSpec.parse(draft).routes[0]?.when).toMatchObject({ words: ['order'], language: 'de' });
});

const twin = randomUUID();
const cases: [string, unknown, string[]][] = [
  ['no object', 'x', ['']],
  ['another version', { specVersion: 2 }, ['specVersion']],
  ['what nobody knows', spec({ scripts: [] }), ['']],
  ['a route to no agent', spec({ agents: [agent('a')], routes: [route('r', 'b')] }), ['routes.0.agent']],
  ['two agents of a key', spec({ agents: [agent('a'), agent('a')] }), ['agents.1.key']],
  [
    'an agent under two keys',
    spec({ agents: [agent('a', { agentId: twin }), agent('b', { agentId: twin })] }),
    ['agents.1.agentId'],
  ],
  [
    'capabilities and types that are not there',
    spec({ agents: [agent('a', { capabilities: ['x'], records: [{ type: 'y', may: ['find'] }] })] }),
    ['agents.0.capabilities.0', 'agents.0.records.0'],
  ],
  [
    'a command of ours',
    spec({ agents: [agent('a')], routes: [route('r', 'a', { match: 'command', command: 'stop' })] }),
    ['routes.0.when.command'],
  ],
  [
    'two routes for the same',
    spec({ agents: [agent('a'), agent('b')], routes: [route('r', 'a'), route('s', 'b')] }),
    ['routes.1.when'],
  ],
  [
    'a topic of no group',
    spec({ agents: [agent('a')], routes: [route('r', 'a', undefined, { where: { threadId: '3' } })] }),
    ['routes.0.where.threadId'],
  ],
  [
    'bounds that leave nothing, options and fields that stand there twice',
    spec({
      recordTypes: [
        {
          name: 'order',
          fields: [
            { name: 'a', type: 'number', min: 2, max: 1 },
            { name: 'b', type: 'choice', options: ['x', 'x'] },
            { name: 'a', type: 'text' },
          ],
        },
      ],
    }),
    ['recordTypes.0.fields.2.name', 'recordTypes.0.fields.0.max', 'recordTypes.0.fields.1.options'],
  ],
  [
    'a pattern',
    spec({ recordTypes: [{ name: 'order', fields: [{ name: 'a', type: 'text', pattern: '(a+)+$' }] }] }),
    ['recordTypes.0.fields.0'],
  ],
  [
    'names that mean something to JavaScript',
    spec({ recordTypes: [{ name: '__proto__', fields: [{ name: 'constructor', type: 'text' }] }] }),
    ['recordTypes.0.name', 'recordTypes.0.fields.0.name'],
  ],
  ['half a character', spec({ recordTypes: [{ ...orderType, label: '\ud800' }] }), ['recordTypes.0.label']],
];
test.each(cases)('%s is a fault, with its path', (_what, draft, expected) => {
  expect(paths(draft)).toEqual(expected);
});

test('a fault in one place hides no fault in another', () => {
  const draft = spec({
    agents: [agent('a'), { key: 'broken' }],
    routes: [route('r', 'broken'), route('s', 'nobody', { match: 'everything' }), 7],
  });
  expect(paths(draft)).toEqual(['agents.1.agentId', 'routes.2', 'routes.1.agent']);
});

test('no draft, even an odd one, causes an internal error', () => {
  fc.assert(
    fc.property(
      fc.object({ key: fc.constantFrom('agents', 'routes', 'recordTypes', 'key', '__proto__') }),
      (draft) => {
        expect(faultsOf(draft).length).toBeGreaterThan(0);
        readSpec(draft);
      },
    ),
  );
});

test('a draft that is too deep or too large is not kept', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  expect(whyUnkept(nested(maxSpecDepth))).toBeUndefined();
  expect(whyUnkept(nested(maxSpecDepth + 1))).toMatch(/deeper/);
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
  expect(whyUnkept(deep)).toMatch(/deeper/);
  expect(whyUnkept({ text: 'x'.repeat(300 * 1024) })).toMatch(/larger/);
});
