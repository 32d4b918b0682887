import type { SeededRandom } from '../../seeded-random.ts';
import { type Form, multipart, type Pair, type Posted } from './multipart.ts';

const hostileFields: readonly Pair[] = [
  ['__proto__', 'x'],
  ['__proto__[isOperator]', 'true'],
  ['constructor[prototype][x]', 'x'],
  ['a[b][c][d][e]', 'x'],
  ['a[999999999]', 'x'],
  ['', 'x'],
  ['message-headers', '[[["deep"]]]'],
  ['message-headers', '{"__proto__":1}'],
  ['message-headers', '['.repeat(5000)],
  ['attachment-count', '1e9'],
  ['content-id-map', '{"<a>":{}}'],
  ['from', `${'<'.repeat(5000)}a@b.example`],
  ['from', '\0@\0'],
  ['sender', `${'a'.repeat(70_000)}@b.example`],
  ['Subject', `=?utf-8?b?${'A'.repeat(5000)}?=`],
  ['Subject', '=?x?q?=00?='],
  ['References', '<a@b> '.repeat(5000)],
  ['In-Reply-To', '<\0>'],
  ['body-html', '<div>'.repeat(20_000)],
  ['body-html', `<a href="javascript:x">${'&#0;'.repeat(100)}<!--`],
  ['body-plain', '> '.repeat(20_000)],
  ['body-plain', '\ud800\0\uffff'],
  ['recipient', 'nobody@nowhere.example'],
  ['Date', 'never'],
];

/** Returns a form as the mailer posts it, or a malformed one. */
export function formBody(random: SeededRandom, form: Form): Posted {
  const strange = random.chance(0.5) ? [random.pick(hostileFields)] : [];
  // Sometimes first, because a duplicate field must not replace the verified one.
  const pairs = random.chance(0.5) ? [...strange, ...form.pairs] : [...form.pairs, ...strange];
  const about = strange.map(([name]) => `a strange ${name || 'field'}`).join('');
  if (form.files.length === 0 && random.chance(0.5)) return urlencoded(random, pairs, about);
  return multipart(random, { ...form, pairs }, about);
}

function urlencoded(random: SeededRandom, pairs: readonly Pair[], about: string): Posted {
  const text = new URLSearchParams(
    pairs.map(([name, value]): [string, string] => [name, value.toWellFormed()]),
  ).toString();
  const type = 'application/x-www-form-urlencoded';
  return random.weighted([
    [8, { body: Buffer.from(text), type, trick: about }],
    [1, { body: Buffer.from(`${text}&${'a=1&'.repeat(1200)}`), type, trick: 'too many fields' }],
    [1, { body: Buffer.from(`${text}&%=%&%zz=%c0%af&%00=%00`), type, trick: 'no encoding' }],
    [
      1,
      {
        body: Buffer.from(text),
        type: `${type}; charset=${random.pick(['utf-7', 'utf-16', 'x', '"'])}`,
        trick: 'another charset',
      },
    ],
    [1, { body: Buffer.from(text.slice(0, random.below(text.length))), type, trick: 'cut off' }],
  ]);
}
