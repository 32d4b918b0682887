import { expect, test } from 'vitest';
import { createWordIndex } from '../../../src/routing/domain/word-index.ts';
import { agent } from './routed.ts';

const billing = agent('billing', ['invoice', 'refund'], { description: 'Payments' });
const wordy = agent('wordy', ['cable'], {
  description:
    'What is in the box, and what is in the bag? Where is it, and who has it? The what is in the how.',
});
const team = [billing, wordy, agent('third', ['lamp'])];

const best = (message: string, agents = team) =>
  [...createWordIndex(agents, [])(message)].toSorted(([, left], [, right]) => right.score - left.score)[0];

test('insignificant words choose no agent, for any number of them in a description', () => {
  expect(best('what is in the')).toBeUndefined();
  expect(best('what is in the invoice?')).toEqual(['billing', { score: 4, reasons: ['keywords: invoice'] }]);
});

test('a name or keyword outweighs words of a description', () => {
  const described = agent('described', [], { description: 'Writes letters on invoice paper' });
  expect(best('letters about an invoice', [described, billing, wordy])?.[0]).toBe('billing');
});

test('a word that most agents have is insignificant, in names and in descriptions', () => {
  const company = ['one', 'two', 'three', 'four'].map((id) =>
    agent(id, [`${id}word`], { name: `Acme ${id}`, description: 'Orders of customers' }),
  );
  expect(best('Acme orders', company)).toBeUndefined();
  expect(best('Acme orders twoword', company)?.[0]).toBe('two');
});

test('a word that fewer agents have counts more', () => {
  const pair = ['one', 'two'].map((id) => agent(id, ['tea']));
  const scores = [2, 8, 30].map(
    (others) =>
      best('tea', [...pair, ...Array.from({ length: others }, (_, n) => agent(`x${n}`))])?.[1].score ?? 0,
  );
  expect(scores).toEqual(scores.toSorted((left, right) => left - right));
});

test('one word of a long description is too little', () => {
  const words = Array.from({ length: 150 }, (_, n) => `subject${String.fromCodePoint(97 + (n % 26))}${n}x`);
  const long = agent('long', [], { description: words.join(' ') });
  expect(best(words[7] ?? '', [long, billing, wordy])).toBeUndefined();
  expect(best(words.slice(0, 5).join(' '), [long, billing, wordy])?.[0]).toBe('long');
});

test.each([
  ['other forms', 'Rechnungen', 'Rechnung', 'wo sind die Rechnungen'],
  ['compounds', 'Rechnungskopie', 'Rechnung', 'ich brauche eine Rechnungskopie'],
  ['the end of a compound', 'Mietvertrag', 'Vertrag', 'wo ist mein Mietvertrag'],
  ['cases of Cyrillic words', 'посылку', 'посылка', 'я не получил посылку'],
  ['languages without stemmer', 'fakturę', 'faktura', 'proszę o fakturę'],
  ['missing accents', 'reclamacion', 'reclamación', 'tengo una reclamacion'],
  ['articles of Arabic', 'الفاتورة', 'فاتورة', 'أين الفاتورة'],
  ['words without spaces', '請求書', '請求書', '請求書の金額が間違っています'],
  ['Chinese words', '退货', '退货', '我想退货'],
  ['Thai words', 'ใบเสร็จ', 'ใบเสร็จ', 'ขอใบเสร็จ'],
  ['particles of Korean', '환불을', '환불', '환불을 받고 싶어요'],
  ['slips', 'invoicce', 'invoice', 'my invoicce'],
])('finds %s: %s by %s', (_what, _said, keyword, message) => {
  expect(best(message, [agent('wanted', [keyword]), wordy, agent('third', ['lamp'])])?.[0]).toBe('wanted');
});

test('an acronym is distinguished from the small word with the same spelling', () => {
  const desk = [agent('it-desk', ['IT'], { name: 'Computers' }), billing, wordy];
  expect(best('Who works in IT here?', desk)?.[0]).toBe('it-desk');
  expect(best('is it raining', desk)).toBeUndefined();
});

test('an insignificant keyword counts less than a significant one', () => {
  const helper = agent('helper', ['question']);
  expect(best('a question', [billing, helper, wordy])?.[0]).toBe('helper');
  expect(best('a question about a refund', [billing, helper, wordy])?.[0]).toBe('billing');
});
