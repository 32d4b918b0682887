import { randomUUID } from 'node:crypto';
import type { Assertion } from '@botyard/contracts/http/evaluations-cases';
import { describe, expect, test } from 'vitest';
import type { Deps } from '../../../src/evaluations/deps.ts';
import { type CheckedAnswer, checkAssertions } from '../../../src/evaluations/domain/check-assertions.ts';

const tenantId = randomUUID();
const answer: CheckedAnswer = {
  tenantId,
  question: 'When do you open?',
  text: 'We open at 10.',
  isSilent: false,
  handover: null,
  approvals: [],
  calls: [{ name: 'book', arguments: { day: 'sunday', seats: 2 }, outcome: 'ok' }],
  citedSourceIds: new Set(),
  inputTokens: 90,
  outputTokens: 10,
  durationMs: 500,
  costMicroUsd: async () => 40,
};

/** These assertions need no service. */
const deps = {} as Deps;

async function faultOf(
  assertion: Assertion,
  change: Partial<CheckedAnswer> = {},
): Promise<string | undefined> {
  const [fault] = await checkAssertions(deps, { ...answer, ...change }, [assertion]);
  return fault?.message;
}

const schema = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };
const german = 'Wir haben am Sonntag nicht geöffnet, aber Sie können uns am Montag anrufen.';

describe('an assertion that holds has no fault, and one that does not says why', () => {
  test.each<[Assertion, Partial<CheckedAnswer>?]>([
    [{ type: 'tool_called', name: 'book' }],
    [{ type: 'tool_called', name: 'book', arguments: { seats: 2, day: 'sunday' } }],
    [{ type: 'tool_called', name: 'book', schema }],
    [{ type: 'approval_asked' }, { approvals: ['book'] }],
    [{ type: 'handed_over' }, { handover: 'asked for a person' }],
    [{ type: 'silent' }, { isSilent: true, text: null }],
    [{ type: 'contains', text: 'we OPEN' }],
    [{ type: 'not_contains', text: 'closed' }],
    [{ type: 'matches', pattern: '\\bat \\p{N}+' }],
    [{ type: 'language', language: 'en' }, { text: 'We are open on Sunday, but you can call us.' }],
    [{ type: 'language', language: 'de' }, { text: german }],
    [{ type: 'cost_at_most', microUsd: 40 }],
    [{ type: 'tokens_at_most', tokens: 100 }],
    [{ type: 'time_at_most', milliseconds: 500 }],
    [{ type: 'json', schema }, { text: '```json\n{ "day": "sunday" }\n```' }],
  ])('%o holds', async (assertion, change) => {
    expect(await faultOf(assertion, change)).toBeUndefined();
  });

  test.each<[Assertion, string, Partial<CheckedAnswer>?]>([
    [{ type: 'tool_called', name: 'cancel' }, 'cancel was not called'],
    [{ type: 'tool_called', name: 'book', arguments: { day: 'sunday' } }, 'book was called with'],
    [
      {
        type: 'tool_called',
        name: 'book',
        schema: { type: 'object', required: ['name'], properties: { name: {} } },
      },
      'do not fit',
    ],
    [
      { type: 'tool_called', name: 'book', schema: { type: 'no such type' } },
      'the JSON Schema cannot be used',
    ],
    [{ type: 'approval_asked', name: 'book' }, 'no approval was asked for book'],
    [{ type: 'handed_over' }, 'not handed over'],
    [{ type: 'silent' }, 'the agent answered'],
    [{ type: 'contains', text: 'closed' }, 'does not contain "closed"'],
    [{ type: 'not_contains', text: 'OPEN' }, 'contains "OPEN"'],
    [{ type: 'matches', pattern: '^open' }, 'does not match'],
    [{ type: 'matches', pattern: '(' }, 'no regular expression'],
    [{ type: 'language', language: 'en' }, 'the language is de', { text: german }],
    [{ type: 'language', language: 'en' }, 'the language is unknown', { text: '42' }],
    [{ type: 'cites', sourceId: randomUUID() }, 'no passage'],
    [{ type: 'cost_at_most', microUsd: 39 }, 'it cost 40 micro-USD'],
    [{ type: 'cost_at_most', microUsd: 39 }, 'no price', { costMicroUsd: async () => null }],
    [{ type: 'tokens_at_most', tokens: 99 }, 'it took 100 tokens'],
    [{ type: 'time_at_most', milliseconds: 499 }, 'it took 500 ms'],
    [{ type: 'json', schema }, 'the answer is not JSON'],
    [{ type: 'json', schema }, 'day', { text: '{ "day": 7 }' }],
  ])('%o fails with "%s"', async (assertion, message, change) => {
    expect(await faultOf(assertion, change)).toContain(message);
  });
});

test.each<Assertion>([
  { type: 'matches', pattern: '^(a+)+$' },
  { type: 'json', schema: { type: 'string', pattern: '^(a+)+$' } },
])('%o is given up in time for a hostile answer, and holds up no other tenant', async (assertion) => {
  const text = assertion.type === 'json' ? JSON.stringify(`${'a'.repeat(40)}!`) : `${'a'.repeat(40)}!`;
  const hostile = faultOf(assertion, { text });
  const other = faultOf({ type: 'matches', pattern: 'open' }, { tenantId: randomUUID() });
  expect(await other).toBeUndefined();
  expect(await hostile).toBe('the check takes too long');
});
