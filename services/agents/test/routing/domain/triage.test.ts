import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAddress } from '../../../src/routing/domain/address.ts';
import { type TriageInput, triage } from '../../../src/routing/domain/triage.ts';
import { createWordIndex } from '../../../src/routing/domain/word-index.ts';
import type {
  PlacedAssignment,
  RoutedAgent,
  RoutedCapability,
} from '../../../src/routing/store/routing-view.ts';
import { agent, assignment } from './routed.ts';

const sales = agent('sales', ['price', 'offer', 'discount'], { description: 'Prices and offers' });
const support = agent('support', ['broken', 'error', 'repair'], { description: 'Broken devices' });
const billing = agent('billing', ['invoice', 'refund'], { description: 'Payments', capabilityIds: ['vat'] });
const team = [sales, support, billing];
const vat: RoutedCapability = {
  id: 'vat',
  name: 'Turnover tax',
  description: 'Reports to authorities',
  keywords: ['vat'],
  version: 1,
};

function choose(message: string, change: Partial<TriageInput & { assignments: PlacedAssignment[] }> = {}) {
  const { assignments = [], agents = team, ...more } = change;
  const address = readAddress(message, agents);
  const input: TriageInput = {
    message: address.to === 'unknown' ? message : address.text,
    addressed: address.to === 'agent' ? address.agent : null,
    language: null,
    stickyAgentId: null,
    agents,
    routing: { assignments, capabilities: [vat] },
    ...more,
  };
  return triage(input, createWordIndex);
}

const inGroup = assignment('a1', support, { groupId: 'group' });

describe('triage', () => {
  test.each([
    ['a keyword', 'My device is broken', {}, 'support', 'match'],
    ['a keyword in upper case', 'REFUND PLEASE', {}, 'billing', 'match'],
    ['a keyword in wide letters', 'ｒｅｆｕｎｄ', {}, 'billing', 'match'],
    ['the beginning of a keyword', 'any discounts today?', {}, 'sales', 'match'],
    ['a keyword with a slip', 'where is my invoicce', {}, 'billing', 'match'],
    ['a word of the description', 'payments', {}, 'billing', 'match'],
    ['the name', 'support please', {}, 'support', 'match'],
    ["a capability's keyword", 'what about vat', {}, 'billing', 'match'],
    ["a capability's name", 'turnover', {}, 'billing', 'match'],
    ["a capability's description", 'tell authorities', {}, 'billing', 'match'],
    ['nothing that fits: the default', 'hello', {}, 'sales', 'default'],
    ['an empty message: the default', '', {}, 'sales', 'default'],
    [
      'nothing that fits: the one who answered last',
      'hello',
      { stickyAgentId: 'billing' },
      'billing',
      'sticky',
    ],
    [
      'something that fits another clearly better',
      'broken error repair',
      { stickyAgentId: 'billing' },
      'support',
      'match',
    ],
    ['an assignment', 'refund', { assignments: [inGroup] }, 'support', 'assignment'],
    [
      'an assignment before the one who answered last',
      'refund invoice',
      { assignments: [inGroup], stickyAgentId: 'billing' },
      'support',
      'assignment',
    ],
    ['a name that is spoken to', '@sales broken', {}, 'sales', 'explicit'],
    [
      'a name that is spoken to before everything',
      '/agent billing broken error repair',
      { assignments: [inGroup], stickyAgentId: 'sales' },
      'billing',
      'explicit',
    ],
    [
      'nobody who is disabled',
      'refund invoice',
      { agents: [sales, { ...billing, isEnabled: false }] },
      'sales',
      'default',
    ],
    [
      'no assignment to somebody disabled',
      'refund',
      { assignments: [assignment('a2', { ...support, isEnabled: false }, {})] },
      'billing',
      'match',
    ],
  ] satisfies [string, string, Parameters<typeof choose>[1], string, string][])(
    'chooses by %s',
    (_what, message, change, expected, rule) => {
      expect(choose(message, change)).toMatchObject({ agentId: expected, rule });
    },
  );

  test('records the reasons, and the other candidates', () => {
    const { candidates, fallback } = choose('the invoice is broken', { stickyAgentId: 'billing' });
    const reasonsOf = (id: string) => candidates.find(({ agentId }) => agentId === id)?.reasons;
    expect(reasonsOf('billing')).toEqual(['keywords: invoice', 'answered last in this conversation']);
    expect(reasonsOf('support')).toEqual(['keywords: broken', 'description: broken']);
    expect(reasonsOf('sales')).toEqual(["the bot's default"]);
    expect(fallback).toBe('sales');
    expect(choose('x', { assignments: [inGroup] }).assignmentId).toBe('a1');
  });

  test('one agent needs no choice, and without agents nothing is chosen', () => {
    expect(choose('refund', { agents: [sales] })).toEqual({
      agentId: 'sales',
      candidates: [{ agentId: 'sales', score: 0.5, reasons: ["the bot's only agent"] }],
      rule: 'default',
      fallback: 'sales',
    });
    expect(choose('refund', { agents: [] })).toEqual({ agentId: null, candidates: [], fallback: null });
  });

  test('a disabled agent is not a candidate, the default is the next one, and the record shows it', () => {
    const agents = [{ ...sales, isEnabled: false }, support, billing];
    const record = choose('hello', { agents, stickyAgentId: 'sales' });
    expect(record).toMatchObject({ agentId: 'support', rule: 'default', fallback: 'support' });
    expect(record.candidates.map(({ agentId }) => agentId)).toEqual(['support', 'billing']);
    expect(record.excluded).toEqual([{ agentId: 'sales', reasons: ['disabled'] }]);
  });

  test('an assignment adds an agent from outside the bot, for the turns that it covers', () => {
    const outside = agent('outside', ['price']);
    const assignments = [assignment('a3', outside, { keywords: ['lawyer'] })];
    expect(choose('my lawyer asks', { assignments })).toMatchObject({
      agentId: 'outside',
      rule: 'assignment',
    });
    expect(choose('price', { assignments }).candidates.map(({ agentId }) => agentId)).not.toContain(
      'outside',
    );
  });

  test('a word that is repeated scores no higher than one', () => {
    const once = choose('broken').candidates;
    expect(choose('broken '.repeat(200)).candidates).toEqual(once);
  });

  test('agents that fit equally well are tied, unless a name, an assignment or the last agent decides', () => {
    const twins = [agent('one', ['tea']), agent('two', ['tea']), agent('three', ['coffee'])];
    expect(choose('tea', { agents: twins }).tied).toEqual(['one', 'two']);
    expect(choose('coffee', { agents: twins }).tied).toBeUndefined();
    expect(choose('@two tea', { agents: twins }).tied).toBeUndefined();
    expect(choose('tea', { agents: twins, stickyAgentId: 'two' }).tied).toBeUndefined();
    expect(choose('hello', { agents: twins }).tied).toBeUndefined();
  });
});

describe('for any text', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      '__proto__',
      'constructor toString',
      '\u202eevil',
      '👩‍👩‍👧‍👦',
      '\ud800',
      'x'.repeat(20_000),
    ),
    fc.lorem(),
  );
  const anyAgents = fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      name: hostile,
      description: hostile,
      keywords: fc.array(hostile, { maxLength: 4 }),
      capabilityIds: fc.constantFrom<string[]>([], ['vat']),
      isEnabled: fc.boolean(),
      version: fc.nat(),
    }),
    { selector: ({ id }) => id, maxLength: 6 },
  );
  const anyAssignments = (agents: readonly RoutedAgent[]) =>
    fc.uniqueArray(
      fc.record({
        assignmentId: fc.uuid(),
        pick: fc.nat(),
        priority: fc.integer({ min: -2, max: 2 }),
        groupId: fc.constantFrom(null, 'group'),
        keywords: fc.array(hostile, { maxLength: 2 }),
      }),
      { selector: ({ assignmentId }) => assignmentId, maxLength: agents.length > 0 ? 4 : 0 },
    );
  const situation = anyAgents.chain((agents) =>
    fc.record({
      agents: fc.constant(agents),
      message: hostile,
      sticky: fc.nat(),
      assignments: anyAssignments(agents).map((all) =>
        all.map(({ assignmentId, pick, ...held }) =>
          assignment(assignmentId, agents[pick % agents.length]!, held),
        ),
      ),
    }),
  );

  test('the record is reproducible, and names every enabled agent once, best first, and no disabled one', () => {
    fc.assert(
      fc.property(situation, ({ agents, message, sticky, assignments }) => {
        const change = { agents, assignments, stickyAgentId: agents[sticky % 7]?.id ?? null };
        const record = choose(message, change);
        expect(choose(message, structuredClone(change))).toEqual(record);
        const enabled = agents.filter(({ isEnabled }) => isEnabled).map(({ id }) => id);
        expect(record.candidates.map(({ agentId }) => agentId).sort()).toEqual(enabled.sort());
        const scores = record.candidates.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        expect(scores.every(Number.isFinite)).toBe(true);
        expect(record.agentId).toBe(record.candidates[0]?.agentId ?? null);
      }),
      { numRuns: 200 },
    );
  });

  test('the order of assignments changes nothing, and that of agents no score but that of the default', () => {
    fc.assert(
      fc.property(situation, ({ agents, message, assignments }) => {
        const record = choose(message, { agents, assignments });
        expect(choose(message, { agents, assignments: assignments.toReversed() })).toEqual(record);
        const other = choose(message, { agents: agents.toReversed(), assignments });
        const withoutDefault = ({ candidates, fallback }: typeof record) =>
          new Map(
            candidates.map(({ agentId, score }) => [
              agentId,
              Math.round((score - (agentId === fallback ? 0.5 : 0)) * 1000),
            ]),
          );
        expect(withoutDefault(other)).toEqual(withoutDefault(record));
      }),
      { numRuns: 200 },
    );
  });
});
