import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TriageAgent, triage } from '../../../src/domain/answers/triage.ts';

const agent = (id: string, keywords: string[] = [], more: Partial<TriageAgent> = {}): TriageAgent => ({
  id,
  name: id,
  description: '',
  keywords,
  ...more,
});

const sales = agent('sales', ['price', 'offer', 'discount'], { description: 'Prices and offers' });
const support = agent('support', ['broken', 'error', 'repair'], { description: 'Broken devices' });
const billing = agent('billing', ['invoice', 'refund'], { description: 'Payments' });
const team = [sales, support, billing];

const choose = (message: string, stickyAgentId: string | null = null, agents = team) =>
  triage({ message, agents, stickyAgentId });

describe('triage', () => {
  test.each([
    ['a keyword', 'My device is broken', null, 'support'],
    ['a keyword in upper case', 'REFUND PLEASE', null, 'billing'],
    ['the beginning of a keyword', 'any discounts today?', null, 'sales'],
    ['a keyword with a slip', 'where is my invoicce', null, 'billing'],
    ['a word of the description', 'payments', null, 'billing'],
    ['the name', 'support please', null, 'support'],
    ['nothing that fits: the default', 'hello', null, 'sales'],
    ['an empty message: the default', '', null, 'sales'],
    ['nothing that fits: the one who answered last', 'hello', 'billing', 'billing'],
    ['something that fits another clearly better', 'broken error repair', 'billing', 'support'],
  ])('chooses by %s', (_what, message, sticky, expected) => {
    expect(choose(message, sticky).agentId).toBe(expected);
  });

  test('says why', () => {
    const { candidates } = choose('the invoice is broken', 'billing');
    const reasonsOf = (id: string) => candidates.find(({ agentId }) => agentId === id)?.reasons;
    expect(reasonsOf('billing')).toEqual(['keywords: invoice', 'answered last in this conversation']);
    expect(reasonsOf('support')).toEqual(['keywords: broken', 'description: broken']);
    expect(reasonsOf('sales')).toEqual(["the bot's default"]);
  });

  test('with one agent there is nothing to choose, and with none nobody', () => {
    expect(choose('refund', null, [sales])).toEqual({
      agentId: 'sales',
      candidates: [{ agentId: 'sales', score: 0.5, reasons: ["the bot's only agent"] }],
    });
    expect(choose('refund', null, [])).toEqual({ agentId: null, candidates: [] });
  });

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
    }),
    { selector: ({ id }) => id, maxLength: 6 },
  );

  test('is deterministic, names every agent once, best first, whatever people write', () => {
    fc.assert(
      fc.property(hostile, anyAgents, fc.nat(), (message, agents, pick) => {
        const stickyAgentId = agents[pick % 7]?.id ?? null;
        const record = triage({ message, agents, stickyAgentId });
        expect(triage({ message, agents: structuredClone(agents), stickyAgentId })).toEqual(record);
        expect(record.candidates.map(({ agentId }) => agentId).sort()).toEqual(
          agents.map(({ id }) => id).sort(),
        );
        const scores = record.candidates.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        expect(scores.every(Number.isFinite)).toBe(true);
        expect(record.agentId).toBe(record.candidates[0]?.agentId ?? null);
      }),
      { numRuns: 200 },
    );
  });
});
