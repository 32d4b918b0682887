import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { mailForm } from '../../../../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { peopleIn } from '../../../../../../src/platforms/mailgun/domain/inbound/read/addresses.ts';
import { decodeWords } from '../../../../../../src/platforms/mailgun/domain/inbound/read/encoded-words.ts';
import { digestOf, readMail } from '../../../../../../src/platforms/mailgun/domain/inbound/read/read-mail.ts';
import { readReport } from '../../../../../../src/platforms/mailgun/domain/inbound/receive/delivery-report.ts';
import { judge } from '../../../../../../src/platforms/mailgun/domain/inbound/receive/verdict.ts';
import { collectFields } from '../../../../../collect-fields.ts';

const formOf = (fields: Record<string, unknown>) => mailForm(collectFields(fields));
const read = (fields: Record<string, unknown>) => readMail(formOf(fields));
const headersOf = (...headers: unknown[]) => ({ 'message-headers': JSON.stringify(headers) });

describe('the author of a mail', () => {
  test.each([
    ['Anna Keller <Anna@Example.com>', 'anna@example.com', 'Anna Keller'],
    ['anna@example.com', 'anna@example.com', ''],
    ['anna@example.com (Anna)', 'anna@example.com', 'Anna'],
    ['"Keller, Anna" <anna@example.com>, bert@example.com', 'anna@example.com', 'Keller, Anna'],
    ['"victim@bank.example" <mallory@evil.example>', 'mallory@evil.example', 'victim@bank.example'],
    ['victim@bank.example <mallory@evil.example>', 'mallory@evil.example', 'victim@bank.example'],
    ['(victim@bank.example) mallory@evil.example', 'mallory@evil.example', 'victim@bank.example'],
    ['"a\\"b" <a@b.example>', 'a@b.example', 'a"b'],
    ['=?utf-8?q?J=C3=BCrgen?= =?utf-8?B?IE3DvGxsZXI=?= <j@example.com>', 'j@example.com', 'Jürgen Müller'],
    [
      'A\u202Enna\r\nBcc: x <anna@example.com>',
      'anna@example.com',
      expect.not.stringMatching(/[\r\n\u202E]/),
    ],
    ['Jörg <joerg@Bücher.example>', 'joerg@xn--bcher-kva.example', 'Jörg'],
    ['Team: anna@example.com, bert@example.com;', 'anna@example.com', ''],
  ])('%s', (field, address, name) => {
    expect(peopleIn(field)[0]).toEqual({ address, name });
  });

  test.each([
    '',
    '<>',
    'nobody',
    '<a b@c.example>',
    '"anna@example.com"',
    'a@b@c',
    '@',
    'a@-',
    '<a@b..c>',
    '(a@b.example',
  ])('no author in %j', (field) => {
    expect(peopleIn(field)).toEqual([]);
  });

  test('is read from the mail’s headers before the fields, and from the envelope last', async () => {
    const fields = { from: 'c@x.example', sender: 'd@x.example' };
    expect(
      (await read({ ...fields, ...headersOf(['from', 'b@x.example']), From: 'a@x.example' })).from?.address,
    ).toBe('b@x.example');
    expect((await read({ ...fields, From: 'a@x.example' })).from?.address).toBe('a@x.example');
    expect((await read({ sender: 'd@x.example' })).from?.address).toBe('d@x.example');
    expect((await read({})).from).toBeNull();
  });
});

test.each([
  [['Content-Language', 'de-at'], 'de-AT'],
  [['content-language', 'fr, en'], 'fr'],
  [['Content-Language', '<script>, pt-BR'], 'pt-BR'],
  [['Content-Language', 'x'.repeat(100_000)], null],
  [['Content-Language', ''], null],
  [['Subject', 'de'], null],
])('the language of a mail with %j is %s', async (header, language) => {
  expect((await read(headersOf(header))).language).toBe(language);
});

describe('words of other character sets', () => {
  test.each([
    ['=?iso-8859-1?Q?R=FCckfrage_zu_=DCberweisung?=', 'Rückfrage zu Überweisung'],
    ['=?ISO-2022-JP?B?GyRCOzNFRBsoQg==?=', '山田'],
    ['=?koi8-r?B?8NLJ18XU?=', 'Привет'],
    ['=?gb18030?B?xOO6ww==?=', '你好'],
    ['=?utf-8?b?8J+Y?= =?utf-8?b?gA==?=', '😀'],
    ['=?utf-8*de?q?gr=C3=BCn?=', 'grün'],
    ['=?x-unknown?q?abc?= x', '=?x-unknown?q?abc?= x'],
    ['a =?utf-8?q?b?= c', 'a b c'],
    ['=?utf-8?q?', '=?utf-8?q?'],
  ])('%s', (written, text) => {
    expect(decodeWords(written)).toBe(text);
  });
});

describe('the mail that a mail answers', () => {
  test('is read of folded, broken and enormous headers', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `<${index}@x.example>`).join('\r\n ');
    const mail = await read(
      headersOf(
        ['References', ids],
        ['In-Reply-To', 'x <a@x>\r\nBcc: <b@x>'],
        ['Message-Id', `<${'x'.repeat(1900)}>`],
      ),
    );
    expect(mail.references).toHaveLength(100);
    expect(mail.references.at(-1)).toBe('499@x.example');
    expect(mail.inReplyTo).toBe('a@x');
    expect(mail.messageId).toMatch(/@without-message-id\.invalid$/);
  });

  test('a mail without a Message-Id is known by sender, date, subject and body', async () => {
    const mail = {
      from: 'anna@example.com',
      Date: 'Fri, 20 Nov 2026 18:40:00 +0000',
      subject: 'a',
      'body-plain': 'b',
    };
    const idOf = async (change: Record<string, string>) =>
      (await read({ ...mail, ...change })).withoutId?.identity;
    expect(await idOf({ timestamp: '1', 'stripped-text': 'b' })).toBe(await idOf({}));
    const changes = [
      { from: 'ben@example.com' },
      { Date: 'Sat, 21 Nov 2026' },
      { subject: 'c' },
      { 'body-plain': 'd' },
    ];
    const others = await Promise.all(changes.map(idOf));
    expect(new Set([await idOf({}), ...others]).size).toBe(5);
  });
});

describe('two deliveries', () => {
  const mail = { 'body-plain': 'a', subject: 's', 'Message-Id': '<a@x>' };
  const digest = (fields: Record<string, unknown>, files: { name: string; sha256: string }[] = []) =>
    digestOf(formOf(fields), files);
  test('a repetition is the same; another text, sender, subject, file, or Message-Id is not', async () => {
    expect(digest({ ...mail, timestamp: '1', token: 't' })).toBe(
      digest({ ...mail, timestamp: '2', recipient: 'r' }),
    );
    const others = [
      { 'body-plain': 'b' },
      { 'body-html': 'b' },
      { from: 'x' },
      { From: 'x' },
      { subject: 'x' },
      { 'Message-Id': '<b@x>' },
    ];
    const digests = [
      digest(mail),
      digest(mail, [{ name: 'a', sha256: 'b' }]),
      ...others.map((other) => digest({ ...mail, ...other })),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('a mail that must not be answered', () => {
  const verdictOf = async (fields: Record<string, unknown>, isOwnAddress = false) =>
    judge(await read({ from: 'anna@example.com', sender: 'anna@example.com', ...fields }), { isOwnAddress });
  const withHeader = (name: string, value: string) => verdictOf(headersOf([name, value]));

  test.each([
    ['Auto-Submitted', 'auto-replied'],
    ['AUTO-SUBMITTED', 'Auto-Generated; owner-email="x"'],
    ['Auto-Submitted', 'yes'],
    ['Precedence', 'bulk'],
    ['precedence', ' JUNK '],
    ['Precedence', 'list'],
    ['Precedence', 'auto_reply'],
    ['X-Auto-Response-Suppress', 'DR, OOF, AutoReply'],
    ['X-Auto-Response-Suppress', 'All'],
    ['X-Auto-Response-Suppress', 'AutoReply'],
    ['X-Autoreply', 'yes'],
    ['X-Autorespond', ''],
    ['X-Autogenerated', 'Reply'],
    ['List-Id', '<x>'],
    ['List-Unsubscribe', '<mailto:x>'],
    ['List-Post', 'NO'],
    ['Return-Path', '<>'],
    ['X-Envelope-From', '<>'],
    ['X-Botyard-Bot', 'x'],
    ['Content-Type', 'multipart/report; report-type=disposition-notification'],
    ['From', 'MAILER-DAEMON@x.example'],
    ['From', 'No-Reply@x.example'],
    ['From', 'noreply+1@x.example'],
    ['From', 'do_not_reply@x.example'],
    ['From', 'postmaster@x.example'],
    ['From', 'bounces+x@x.example'],
  ])('%s: %s', async (name, value) => {
    expect((await withHeader(name, value)).kind).toBe('ignored');
  });

  test.each([
    ['Auto-Submitted', 'no'],
    ['Auto-Submitted', ' No (really)'],
    ['Precedence', 'first-class'],
    ['X-Auto-Response-Suppress', 'DR, RN, NRN'],
    ['Return-Path', '<anna@example.com>'],
    ['From', 'norbert@x.example'],
    ['From', 'bouncer@x.example'],
    ['Content-Type', 'multipart/mixed'],
  ])('is not one with %s: %s', async (name, value) => {
    expect((await withHeader(name, value)).kind).toBe('person');
  });

  test('is one with an empty envelope, from us, or without a sender', async () => {
    expect(await verdictOf({ sender: '' })).toMatchObject({ reason: 'no return path' });
    expect(await verdictOf({}, true)).toMatchObject({ reason: 'own mail' });
    expect(judge(await read({ from: 'x' }), { isOwnAddress: false })).toMatchObject({ reason: 'no sender' });
  });

  test('includes the returned mail if it is a delivery report', async () => {
    const report = 'multipart/report; report-type="delivery-status"; boundary=x';
    expect((await verdictOf({ sender: '', ...headersOf(['Content-Type', report]) })).kind).toBe('bounce');
    expect((await verdictOf({ sender: '', ...headersOf(['From', 'mailer-daemon@x.example']) })).kind).toBe(
      'bounce',
    );
    expect((await verdictOf(headersOf(['From', 'mailer-daemon@x.example']))).kind).toBe('ignored');
  });

  test.each([
    ['Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 no such user', true, '550 no such user'],
    ['Action: failed\nStatus: 4.4.7', true, 'the mail came back: 4.4.7'],
    ['Action: delayed\nStatus: 4.4.1', false, expect.any(String)],
    ['Action: delivered\nStatus: 2.0.0', false, expect.any(String)],
    ['your mail could not be delivered', true, 'the mail came back'],
  ])('a report: %j', (text, hasFailed, reason) => {
    expect(readReport(text)).toEqual({ hasFailed, reason });
  });
});

describe('any posted fields', () => {
  const pieces = [
    '',
    '\0',
    '\uD800',
    '\uDC00x',
    '<',
    '>',
    '"',
    '\\',
    '(',
    ')',
    ',',
    ';',
    ':',
    '@',
    '\r\n',
    '\n\n',
    '> ',
    '-- ',
    'On 1.1.2026 wrote:',
    '=?utf-8?q?',
    '?=',
    '<div>',
    '<blockquote>',
    '</p>',
    '&#x110000;',
    '[[',
    '{"a":',
    'a@b.example',
    '=?x?b?',
    '\u202E',
    '日本',
    '_'.repeat(25),
    'From: x',
    '9'.repeat(40),
    ' '.repeat(50),
  ];
  const names = [
    'from',
    'From',
    'sender',
    'recipient',
    'To',
    'subject',
    'Subject',
    'body-plain',
    'body-html',
    'stripped-text',
    'stripped-signature',
    'message-headers',
    'References',
    'In-Reply-To',
    'Message-Id',
    'Date',
    'Content-Type',
    'content-id-map',
    'Auto-Submitted',
  ];
  const some = <Value>(list: readonly Value[]): Value => list[randomInt(list.length)]!;
  const noise = (most: number) => Array.from({ length: randomInt(most) }, () => some(pieces)).join('');

  test('is read as a mail that Postgres and a header can keep (1,000 hostile forms)', async () => {
    for (let round = 0; round < 1000; round += 1) {
      const fields: Record<string, unknown> = Object.fromEntries(
        names
          .filter(() => randomInt(3) > 0)
          .map((name) => [name, randomInt(10) === 0 ? [noise(9), noise(9)] : noise(40)]),
      );
      if (randomInt(2) === 0)
        Object.assign(
          fields,
          headersOf(
            ...Array.from({ length: randomInt(9) }, () =>
              some([[some(names), noise(20)], [noise(3)], noise(3), null, [1, 2]]),
            ),
          ),
        );
      const mail = await read(fields);
      const kept = [
        mail.text,
        mail.originalText ?? '',
        mail.html ?? '',
        mail.subject,
        mail.from?.name ?? '',
        mail.from?.address ?? '',
      ];
      for (const text of kept) expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
      for (const line of [
        mail.subject,
        mail.from?.name ?? '',
        mail.messageId,
        mail.inReplyTo ?? '',
        ...mail.references,
        mail.recipient,
      ])
        expect(line).not.toMatch(/[\r\n\0]/);
      judge(mail, { isOwnAddress: false });
      digestOf(formOf(fields), []);
    }
  });

  const huge = 1_000_000;
  test.each([
    ['digits', '9'.repeat(huge)],
    ['quotes', '"\\'.repeat(huge / 2)],
    ['brackets', '<('.repeat(huge / 2)],
    ['marks of a quotation', '> '.repeat(huge / 2)],
    ['quoted lines', '>\n'.repeat(huge / 2)],
    ['lines', 'x\n'.repeat(huge / 2)],
    ['empty lines', '\n'.repeat(huge)],
    ['blanks', ' '.repeat(huge)],
    ['nested HTML', '<div>'.repeat(huge / 5)],
    ['nested quotations', '<blockquote>'.repeat(huge / 12)],
    ['unclosed tags', '<a '.repeat(huge / 3)],
    ['entities', '&lt'.repeat(huge / 3)],
    ['encoded words', '=?utf-8?q?a'.repeat(huge / 11)],
    ['encoded words that end', '=?utf-8?q?a?= '.repeat(huge / 14)],
    ['dividers', `${'_'.repeat(20)}\n`.repeat(huge / 21)],
    ['addresses', 'a@b.example,'.repeat(huge / 12)],
    ['nested JSON', '['.repeat(huge)],
    ['status lines', 'Status: 5.1.1'.repeat(huge / 13)],
  ])('a million characters in each field are read in a moment: %s', async (_what, text) => {
    const before = process.cpuUsage();
    const mail = await read({
      ...Object.fromEntries(names.map((name) => [name, text])),
      From: Array(20).fill(text),
      To: Array(20).fill(text),
    });
    judge(mail, { isOwnAddress: false });
    readReport(text.slice(0, 100_000));
    expect(mail.text.length).toBeLessThanOrEqual(60_000);
    const { user } = process.cpuUsage(before);
    expect(user).toBeLessThan(3_000_000);
  });
});
