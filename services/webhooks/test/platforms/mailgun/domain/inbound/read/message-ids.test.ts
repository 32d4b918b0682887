import { expect, test } from 'vitest';
import {
  answeredIdsOf,
  messageIdOf,
  messageIdsIn,
  threadIndexOf,
} from '../../../../../../src/platforms/mailgun/domain/inbound/read/message-ids.ts';

test.each([
  ['<a@x.example>', ['a@x.example']],
  ['a@x.example', ['a@x.example']],
  ['a@x.example b@x.example', ['a@x.example', 'b@x.example']],
  ['a@x.example,b@x.example;', ['a@x.example', 'b@x.example']],
  ['<a@x.example><b@x.example>', ['a@x.example', 'b@x.example']],
  ['<a@x.example>\r\n\t<b@x.example>', ['a@x.example', 'b@x.example']],
  ['<a-very-long-id-that-is-folded\r\n @x.example>', ['a-very-long-id-that-is-folded@x.example']],
  ['< a@x.example >', ['a@x.example']],
  ['<<a@x.example>>', ['a@x.example']],
  ['<a@x.example> (added by <postmaster@y.example>)', ['a@x.example']],
  ['Your message of "Fri, 20 Nov 2026" <a@x.example>', ['a@x.example']],
  ['&lt;a@x.example&gt;', ['a@x.example']],
  ['=?utf-8?Q?=3Ca=40x.example=3E?=', ['a@x.example']],
  ['0102018f-000000', ['0102018f-000000']],
  ['Your message of Friday', []],
  ['<>', []],
  ['', []],
])('Message-Ids are read as programs write them: %j', (value, ids) => {
  expect(messageIdsIn(value)).toEqual(ids);
});

const headers = (...pairs: [string, string][]) => {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs)
    all.set(name.toLowerCase(), [...(all.get(name.toLowerCase()) ?? []), value]);
  return all;
};

test('an id is found under the names that programs give it, and the one before a relay replaced it', () => {
  expect(messageIdOf(headers(['X-Message-ID', '<a@x>']))).toBe('a@x');
  expect(messageIdOf(headers(['Message-Id', ''], ['X-Google-Original-Message-ID', '<b@x>']))).toBe('b@x');
  expect(messageIdOf(headers(['Message-Id', ' ']))).toBe(undefined);
});

test('several ids in In-Reply-To count (chatwoot/chatwoot#7793), and one without References (uvdesk/mailbox-component#87)', () => {
  expect(answeredIdsOf(headers(['In-Reply-To', '<a@x> <b@x>'], ['References', '<c@x>']))).toEqual({
    inReplyTo: 'a@x',
    references: ['b@x', 'c@x'],
  });
  expect(answeredIdsOf(headers(['InReplyTo', 'a@x'], ['Reference', 'c@x']))).toEqual({
    inReplyTo: 'a@x',
    references: ['c@x'],
  });
});

test("Outlook's number of a conversation is the same in its answers", () => {
  const root = Buffer.from(Array.from({ length: 22 }, (_, index) => index));
  const answer = Buffer.concat([root, Buffer.alloc(5, 7)]);
  const of = (bytes: Buffer) => threadIndexOf(headers(['Thread-Index', bytes.toString('base64')]));
  expect(of(answer)).toBe(of(root));
  expect(threadIndexOf(headers(['Thread-Index', 'no']))).toBe(null);
});
