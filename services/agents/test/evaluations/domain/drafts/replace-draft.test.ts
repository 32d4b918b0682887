import type { CaseDraft } from '@botyard/contracts/http/evaluations-drafts';
import { describe, expect, test } from 'vitest';
import { isCard, isIban } from '../../../../src/evaluations/domain/drafts/digits.ts';
import type { KnownPerson } from '../../../../src/evaluations/domain/drafts/known-people.ts';
import { replaceInDraft } from '../../../../src/evaluations/domain/drafts/replace-draft.ts';

const anna: KnownPerson = {
  personId: 'anna',
  names: ['Anna Keller'],
  accounts: ['anna@keller.example', 'anna_k', '+4915112345678'],
};

interface Parts {
  answer?: string;
  tools?: Partial<CaseDraft['recording']['tools'][number]>[];
  passage?: string;
}

function replace(
  text: string,
  people: readonly KnownPerson[] = [anna],
  { answer = '', tools = [], passage }: Parts = {},
) {
  const draft = replaceInDraft(
    {
      answer,
      messages: [{ role: 'user', text }],
      recording: {
        tools: tools.map((call) => ({ name: 'find', arguments: {}, outcome: 'ok', result: '', ...call })),
        passages: passage === undefined ? [] : [{ title: 'Prices', text: passage }],
        now: null,
      },
    },
    people,
  );
  return { ...draft, text: draft.messages[0]!.text };
}

const named = (name: string): KnownPerson => ({ personId: name, names: [name], accounts: [] });

describe('what the records know is replaced', () => {
  test.each([
    ['a whole name', 'I am Anna Keller.', 'I am Person 1.'],
    ['a part of a name, in any case', 'hi, anna here, or KELLER', 'hi, Person 1 here, or Person 1'],
    ['a name without its accents', 'Zoe was here', 'Person 1 was here', [named('Zoë')]],
    ['a name with an apostrophe', "It's O'Brien's", "It's Person 1's", [named("Mary O'Brien")]],
    ['a name in a script without spaces', '私は田中さんです', '私はPerson 1さんです', [named('田中')]],
    ['the name of a user', 'ask @anna_k', 'ask @person_1'],
    [
      'a mail address, with the number of its person',
      'Keller: Anna@Keller.example.',
      'Person 1: person-1@example.com.',
    ],
    [
      'a phone number, with and without separators',
      '+49 151 12345678, 4915112345678',
      '+1 555 0100, 15550100',
    ],
    ['a name that hidden characters divide', 'An\u200bna \u202eKeller', 'Person 1'],
  ])('%s', (_what, text, expected, people: readonly KnownPerson[] = [anna]) => {
    expect(replace(text, people).text).toBe(expected);
  });

  test.each([
    ['a name that is a regular expression', '(a+)+$', 'aaaa and .* and b'],
    ['a name of one letter', 'A', 'A plan to do a thing'],
    ['a name that is a common word', 'The', 'The plan is the plan'],
    ['a name of two letters, written otherwise', 'Li', 'li and LI'],
    ['a user with a common word as name', '', 'the plan', ['the']],
  ])('%s changes nothing else', (_what, name, text, accounts: string[] = []) => {
    expect(replace(text, [{ personId: 'p', names: [name, '.*'], accounts }]).text).toBe(text);
  });

  test('a name that is a common word is named as doubtful', () => {
    expect(replace('The plan', [named('The')]).doubtful).toEqual([
      { place: 'messages.0.text', text: 'The', reason: 'common word' },
    ]);
  });
});

describe('what has a form is replaced by the same form', () => {
  test.each([
    ['a mail address', 'to bob@shop.example, please', 'to person-1@example.com, please'],
    [
      'a mail address in a link',
      'https://x.example/?m=bob%40shop.example&a=1',
      'https://x.example/?m=person-1%40example.com&a=1',
    ],
    [
      'phone numbers',
      '030 1234567 or (030) 7654321 or 555-123-4567',
      '+1 555 0100 or +1 555 0101 or +1 555 0102',
    ],
    [
      'six digits and more',
      'orders 123456 and 654321, again 123456',
      'orders 100001 and 100002, again 100001',
    ],
    ['a number beside letters', 'ORD-1234567x', 'ORD-1000001x'],
  ])('%s', (_what, text, expected) => {
    expect(replace(text, []).text).toBe(expected);
  });

  test('an account number and a card, each with right check digits', () => {
    const { text } = replace('IBAN DE89 3704 0044 0532 0130 00 please, card 4111 1111 1111 1111', []);
    const [, iban = '', card = ''] = /IBAN ([\w ]{27}) please, card ([\d ]+)/.exec(text) ?? [];
    expect(iban).toMatch(/^DE\d\d 0000 0000 0000 0000 01$/);
    expect(isIban(iban.replaceAll(' ', ''))).toBe(true);
    expect(card).toMatch(/^4000 0000 0000 \d{4}$/);
    expect(isCard(card.replaceAll(' ', ''))).toBe(true);
  });

  test.each([
    'on 2026-11-29 at 10:30:00.123456',
    'on 29.11.2026 or 11/29/2026',
    'room 12345, 5 of 10, 99.95 €',
    'from 12 34 56 to 78',
  ])('%s stays', (text) => {
    expect(replace(text, []).text).toBe(text);
  });
});

describe('arguments and results', () => {
  test('are replaced like the texts, in names, numbers and JSON within texts', () => {
    const inner = JSON.stringify({ by: 'Anna Keller', ids: [1234567] });
    const { recording, text } = replace('order 1234567 of Anna', [anna], {
      tools: [
        {
          arguments: { order: 1234567, 'anna@keller.example': [{ note: inner }] },
          result: JSON.stringify({ '\u0041nna': inner, total: -12, flags: [true, null] }),
        },
      ],
    });
    const replacedInner = JSON.stringify({ by: 'Person 1', ids: [1000001] });
    expect(text).toBe('order 1000001 of Person 1');
    expect(recording.tools[0]!.arguments).toEqual({
      order: 1000001,
      'person-1@example.com': [{ note: replacedInner }],
    });
    expect(JSON.parse(recording.tools[0]!.result)).toEqual({
      'Person 1': replacedInner,
      total: -12,
      flags: [true, null],
    });
  });

  test('of JSON that is cut are replaced, too', () => {
    const { recording } = replace('', [anna], {
      tools: [{ result: '{"name": "\\u0041nna Keller", "order": 1234567, "to": "anna@kel' }],
    });
    expect(recording.tools[0]!.result).toBe(
      '{"name": "Person 2", "order": 1000001, "to": "person-1@example.com',
    );
  });

  test('keep JSON as it is written when nothing is replaced', () => {
    const result = '{ "a" : [1,  2] }';
    expect(replace('', [anna], { tools: [{ result }] }).recording.tools[0]!.result).toBe(result);
  });

  test('a name of a property that would change objects stays data', () => {
    const call = { arguments: JSON.parse('{"__proto__": {"order": 1234567}}') };
    const { recording } = replace('', [], { tools: [call] });
    expect(JSON.stringify(recording.tools[0]!.arguments)).toBe('{"__proto__":{"order":1000001}}');
  });
});

test('a document of the tenant keeps its numbers, but for those of the chat', () => {
  const passage = 'Call 0800 1234567. Order 1234567 is an example. Anna knows.';
  const { recording } = replace('order 1234567 of Anna', [anna], { passage });
  expect(recording.passages[0]!.text).toBe('Call 0800 1234567. Order 1000001 is an example. Person 1 knows.');
});

test('all that was replaced is listed once, with the number of its places', () => {
  expect(replace('Anna, anna, order 1234567').replaced).toEqual([
    { kind: 'number', original: '1234567', placeholder: '1000001', times: 1 },
    { kind: 'name', original: 'Anna', placeholder: 'Person 1', times: 2 },
  ]);
});

test('texts that look personal and stay are listed, each with its place', () => {
  const text = 'My name is Bo. Peter Parker, Hauptstraße 5, 10115 Berlin, @spidey';
  expect(replace(text, []).doubtful).toEqual(
    [
      ['Bo', 'introduction'],
      ['spidey', 'handle'],
      ['Hauptstraße 5', 'address'],
      ['10115', 'postal code'],
      ['Peter Parker', 'words with capitals'],
    ].map(([text, reason]) => ({ place: 'messages.0.text', text, reason })),
  );
});

test('the same draft is replaced in the same way each time', () => {
  const once = () =>
    replace('Anna wrote 1234567 to bob@x.example', [anna], { tools: [{ arguments: { a: 7654321 } }] });
  expect(once()).toEqual(once());
});

const long = 16_000;
test.each([
  ['an address', `${'a'.repeat(long)}@x.example`],
  ['signs of addresses', 'a@'.repeat(long)],
  ['digits', '1'.repeat(long)],
  ['digits apart', '1 '.repeat(long)],
  ['a digit and spaces', `1${' '.repeat(long)}`],
  ['points', '.'.repeat(long)],
  ['beginnings of account numbers', 'DE89 '.repeat(long)],
  ['words with capitals', 'Ab '.repeat(long)],
  ['letters', 'x'.repeat(long)],
  ['a name', 'x '.repeat(long)],
  ['brackets', '['.repeat(long)],
  ['turned text', '\u202e1'.repeat(long)],
])('a hostile text full of %s takes no longer than any other', (_what, text) => {
  const people = Array.from({ length: 200 }, (_, at) => named(`x ${'y '.repeat(10)}${at}`));
  const begin = performance.now();
  replace(text, people, { tools: [{ result: text, arguments: { text } }], passage: text });
  expect(performance.now() - begin).toBeLessThan(5000);
});
