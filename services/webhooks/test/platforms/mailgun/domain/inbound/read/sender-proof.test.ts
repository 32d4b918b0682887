import { maxGrowth, measureGrowth } from '@botyard/testing/growth';
import { describe, expect, test } from 'vitest';
import { mailForm } from '../../../../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { readMail } from '../../../../../../src/platforms/mailgun/domain/inbound/read/read-mail.ts';
import { collectFields } from '../../../../../collect-fields.ts';

type Headers = [name: string, value: string][];

interface Sample {
  /** Headers that the mailer writes, above its `Received`. */
  own?: Headers;
  /** Headers that came with the mail. */
  below?: Headers;
  from?: string;
  sender?: string | string[];
  /** As the mailer posts each header; by default all of the list. */
  fields?: Record<string, string>;
  /** Instead of the list. */
  listed?: string | Headers;
}

const spf = (value: string): [string, string] => ['X-Mailgun-Spf', value];
const dkim = (value: string): [string, string] => ['X-Mailgun-Dkim-Check-Result', value];
const results = (value: string): [string, string] => ['Authentication-Results', value];
const signed = (domain: string, more = ''): [string, string] => [
  'Dkim-Signature',
  `v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n d=${domain}; s=20230601; h=from:to:subject;${more} bh=x=; b=dGVzdA==`,
];

const anna = 'Anna <anna@acme.example>';

function proofOf({ own = [], below = [], from = anna, sender = 'anna@acme.example', ...sample }: Sample) {
  const received: [string, string] = ['Received', 'from mail.acme.example by mxa.mailgun.org'];
  const list: Headers = [['X-Mailgun-Incoming', 'Yes'], ...own, received, ['From', from], ...below];
  const listed = sample.listed ?? list;
  const all = typeof listed === 'string' ? [] : listed;
  const fields = { recipient: 'b@bots.example', sender, from, ...Object.fromEntries(all), ...sample.fields };
  const json = typeof listed === 'string' ? listed : JSON.stringify(listed);
  return readMail(mailForm(collectFields({ ...fields, 'message-headers': json })));
}

const evil = 'mallory@evil.example';
const sixMore = Array.from({ length: 6 }, () => spf('Pass'));

const cases: [what: string, sample: Sample, state: 'proven' | 'failed' | 'unknown', results?: string][] = [
  ['no results', {}, 'unknown', ''],
  ['SPF for the domain', { own: [spf('Pass')] }, 'proven', 'SPF pass'],
  ['SPF for a subdomain', { own: [spf('Pass')], sender: 'bounce-17@mail.acme.example' }, 'proven'],
  ['SPF for another domain', { own: [spf('Pass')], sender: evil }, 'failed', 'SPF pass'],
  [
    'SPF for another domain below one suffix',
    { own: [spf('Pass')], from: 'a@one.co.uk', sender: 'b@two.co.uk' },
    'failed',
  ],
  ['SPF for a domain that ends alike', { own: [spf('Pass')], sender: 'a@notacme.example' }, 'failed'],
  ['SPF of no envelope', { own: [spf('Pass')], sender: '' }, 'failed'],
  ['SPF of two envelopes', { own: [spf('Pass')], sender: ['anna@acme.example', evil] }, 'failed'],
  ...['Fail', 'SoftFail', 'Neutral', 'None', 'TempError', ''].map((value): (typeof cases)[number] => [
    `SPF ${value}`,
    { own: [spf(value)] },
    'failed',
  ]),
  ['a word that begins with pass', { own: [spf('passed')] }, 'failed'],
  ['words about pass', { own: [spf('fail (not pass)')] }, 'failed', 'SPF unreadable'],
  ['DKIM of the domain', { own: [dkim('Pass')], below: [signed('acme.example')] }, 'proven', 'DKIM pass'],
  [
    'DKIM of its organization',
    { own: [dkim('Pass')], below: [signed('acme.example')], from: 'a@eu.acme.example' },
    'proven',
  ],
  ['DKIM of another domain', { own: [dkim('Pass')], below: [signed('evil.example')] }, 'failed'],
  ['DKIM of a public suffix', { own: [dkim('Pass')], below: [signed('example')] }, 'failed'],
  ['DKIM pass without a signature', { own: [dkim('Pass')] }, 'failed'],
  [
    'DKIM pass of one of two signatures, and nobody knows which',
    { own: [dkim('Pass')], below: [signed('acme.example'), signed('evil.example')] },
    'failed',
  ],
  [
    'DKIM pass of one of 21 signatures',
    {
      own: [dkim('Pass')],
      below: [...Array.from({ length: 20 }, () => signed('acme.example')), signed('evil.example')],
    },
    'failed',
  ],
  [
    'a signature below more headers than are kept',
    {
      own: [dkim('Pass')],
      below: [
        signed('acme.example'),
        ...Array.from({ length: 1500 }, (): [string, string] => ['X', '1']),
        signed('evil.example'),
      ],
    },
    'failed',
  ],
  [
    'a signature with two domains',
    { own: [dkim('Pass')], below: [signed('acme.example', ' d=evil.example;')] },
    'failed',
  ],
  [
    'a signature of the beginning only',
    { own: [dkim('Pass')], below: [signed('acme.example', ' l=10;')] },
    'failed',
  ],
  ['DKIM fail', { own: [dkim('Fail')], below: [signed('acme.example')] }, 'failed', 'DKIM fail'],
  [
    'DKIM fail, SPF pass',
    { own: [spf('Pass'), dkim('Fail')], below: [signed('acme.example')] },
    'proven',
    'SPF pass, DKIM fail',
  ],
  [
    'SPF of a forwarder, DKIM pass',
    { own: [spf('Pass'), dkim('Pass')], below: [signed('acme.example')], sender: 'srs@forwarder.example' },
    'proven',
  ],
  [
    'names and values in odd case',
    { own: [['x-MAILGUN-spf', ' PASS ']], fields: { 'X-Mailgun-Spf': 'Fail' } },
    'proven',
  ],
  [
    'a domain in other letters',
    { own: [spf('Pass')], from: 'a@bücher.example', sender: 'a@xn--bcher-kva.example' },
    'proven',
  ],
  [
    'results that came with the mail',
    { below: [spf('Pass'), dkim('Pass'), signed('acme.example')] },
    'unknown',
  ],
  ['failures that came with the mail', { below: [spf('Fail')] }, 'unknown'],
  ['a forged pass below a failure', { own: [spf('Fail')], below: [spf('Pass')] }, 'failed'],
  [
    'a forged Received of the sender',
    { own: [spf('Fail')], below: [spf('Pass'), ['Received', 'by nobody']] },
    'failed',
  ],
  ['a result twice, both pass', { own: [spf('Pass'), spf('pass')] }, 'proven'],
  ['a result twice, one fails', { own: [spf('Pass'), spf('Fail')] }, 'failed', 'SPF fail'],
  ['a result seven times', { own: [spf('Pass'), ...sixMore] }, 'failed'],
  ['two From', { own: [spf('Pass')], below: [['From', 'boss@acme.example']] }, 'unknown'],
  ['two addresses in From', { own: [spf('Pass')], from: `${anna}, boss@acme.example` }, 'unknown'],
  ['no list, and a failure', { listed: '', fields: { 'X-Mailgun-Spf': 'Fail' } }, 'failed'],
  [
    'no list, and a pass: anybody can have written it',
    { listed: '', fields: { 'X-Mailgun-Spf': 'Pass' } },
    'unknown',
  ],
  [
    'no list, and a pass for another domain',
    { listed: '', sender: evil, fields: { 'X-Mailgun-Spf': 'Pass' } },
    'failed',
  ],
  [
    'a list that is too long to be read, and a pass for another domain',
    { listed: 'x'.repeat(300_000), sender: evil, fields: { 'X-Mailgun-Spf': 'Pass' } },
    'failed',
  ],
  ['no Received, and a pass', { listed: [spf('Pass'), ['From', anna]] }, 'unknown'],
  ['no Received, and a failure', { listed: [spf('Fail'), ['From', anna]] }, 'failed'],
  [
    'a failure that is posted beside the list',
    { fields: { 'X-Mailgun-Spf': 'SoftFail' } },
    'failed',
    'SPF softfail',
  ],
  [
    'standard results',
    { own: [results('mx.mailgun.org; dkim=pass header.d=acme.example; spf=fail')] },
    'proven',
  ],
  [
    'standard results with SPF',
    { own: [results('mx.mailgun.org; spf=pass (mx: designates 1.2.3.4) smtp.mailfrom=anna@acme.example')] },
    'proven',
  ],
  [
    'standard results with SPF of another envelope',
    { own: [results('mx.mailgun.org; spf=pass smtp.mailfrom=anna@acme.example')], sender: evil },
    'failed',
  ],
  [
    'standard results of another domain',
    {
      own: [results('mx.mailgun.org; dkim=pass header.d=evil.example; dmarc=pass header.from=acme.example')],
    },
    'failed',
  ],
  [
    'standard results in a comment',
    { own: [results('mx.mailgun.org; dkim=fail (; dkim=pass header.d=acme.example) header.d=acme.example')] },
    'failed',
  ],
  [
    'standard results in quotes',
    {
      own: [
        results('mx.mailgun.org; spf=fail smtp.mailfrom="; dkim=pass header.d=acme.example ;"@evil.example'),
      ],
      sender: evil,
    },
    'failed',
  ],
  [
    'standard results that came with the mail',
    { below: [results('x; dkim=pass header.d=acme.example')] },
    'unknown',
  ],
];

describe("W-21: the mailer's results say who has sent a mail", () => {
  test.each(cases)('%s', async (_what, sample, state, told) => {
    const { senderProof } = await proofOf(sample);
    expect(senderProof.state).toBe(state);
    if (told !== undefined) expect(senderProof.results).toBe(told);
  });

  const many: Record<string, (unit: string) => Sample> = {
    results: (text) => ({ own: [spf(text), dkim(text), results(text)], below: [['Dkim-Signature', text]] }),
    'many results': (text) => ({
      own: text.split('').flatMap((one) => [spf(one), results(one)]),
      below: text.split('').map((one) => ['Dkim-Signature', one]),
    }),
    fields: (text) => ({ listed: '', fields: { 'X-Mailgun-Spf': text, 'Dkim-Signature': text } }),
  };
  const units = ['(', ')', '; dkim=pass header.d=a', ' ', '=', 'd=', ';', 'a', '"', 'pass'];
  test.each(Object.entries(many))('100 KB of %s are read in linear time', async (_name, of) => {
    const grown: string[] = [];
    for (const unit of units) {
      const { ms, perByte } = await measureGrowth({
        make: (size) => of(unit.repeat(Math.ceil(size / unit.length))),
        read: proofOf,
        size: _name === 'many results' ? 300 : 12_500,
      });
      if (perByte >= maxGrowth) grown.push(`${unit}: ${perByte} (${ms.join()} ms)`);
    }
    expect(grown).toEqual([]);
  });
});
