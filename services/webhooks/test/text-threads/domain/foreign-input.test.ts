import { maxGrowth, measureGrowth } from '@botyard/testing/growth';
import { describe, expect, test } from 'vitest';
import { cleanFileName, mediaTypeOf } from '../../../src/files/domain/media-type.ts';
import { readIdentityEvent } from '../../../src/identity/domain/read-event.ts';
import {
  FieldCollector,
  mailForm,
  type PostedFields,
} from '../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { addressesIn, peopleIn } from '../../../src/platforms/mailgun/domain/inbound/read/addresses.ts';
import { readCalendar } from '../../../src/platforms/mailgun/domain/inbound/read/calendar.ts';
import { decodeWords } from '../../../src/platforms/mailgun/domain/inbound/read/encoded-words.ts';
import { oneLine, readHeaders } from '../../../src/platforms/mailgun/domain/inbound/read/headers.ts';
import { textOfHtml } from '../../../src/platforms/mailgun/domain/inbound/read/html/html-text.ts';
import { readList } from '../../../src/platforms/mailgun/domain/inbound/read/list-of-mail.ts';
import { readMailText } from '../../../src/platforms/mailgun/domain/inbound/read/mail-text.ts';
import { messageIdsIn } from '../../../src/platforms/mailgun/domain/inbound/read/message-ids.ts';
import { isPlainPartOf } from '../../../src/platforms/mailgun/domain/inbound/read/plain-part.ts';
import {
  beginsQuotation,
  beginsWithSent,
  isWholeQuotation,
} from '../../../src/platforms/mailgun/domain/inbound/read/quoted-rest.ts';
import { withoutQuotation } from '../../../src/platforms/mailgun/domain/inbound/read/quotes.ts';
import { readMail, readPosted } from '../../../src/platforms/mailgun/domain/inbound/read/read-mail.ts';
import { isAutomaticSubject } from '../../../src/platforms/mailgun/domain/inbound/receive/automatic-subjects.ts';
import { readReport } from '../../../src/platforms/mailgun/domain/inbound/receive/delivery-report.ts';
import { findReceiver } from '../../../src/platforms/mailgun/domain/inbound/receive/find-receiver.ts';
import { judge } from '../../../src/platforms/mailgun/domain/inbound/receive/verdict.ts';
import { formatMail } from '../../../src/platforms/mailgun/domain/outbound/format/format-mail.ts';
import { answerSubject } from '../../../src/platforms/mailgun/domain/outbound/header-text.ts';
import { formatReply } from '../../../src/platforms/telegram/domain/format-reply.ts';
import { readUpdateBytes } from '../../../src/platforms/telegram/domain/read-update.ts';
import { isQuicklyLexed } from '../../../src/text/domain/markdown/lex-markdown.ts';
import { collectFields } from '../../collect-fields.ts';
import { addressUnits, htmlUnits, markdownUnits, textUnits, wordUnits } from './hostile-units.ts';

/** A reader of strangers' input, and units that are repeated up to a number of characters. */
interface Reader {
  units: readonly string[];
  /** The smallest of four; each of the others is twice as large as the one before. */
  size: number;
  read: (text: string) => unknown;
}

const repeat = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));
const formOf = (fields: Record<string, string | string[]>) => mailForm(collectFields(fields));
const encoded = (name: string, text: string): PostedFields => {
  const collector = new FieldCollector();
  collector.add(name, Buffer.from(text));
  return collector.fields;
};
const list = (text: string): string => `[${text.slice(0, -1)}]`;
const bot = { platformBotId: '7', username: 'helper' };
const update = (message: object): Uint8Array => Buffer.from(JSON.stringify({ update_id: 1, ...message }));
const said = (message: object) =>
  update({
    message: {
      message_id: 1,
      date: 1,
      chat: { id: 5, type: 'private' },
      from: { id: 3, first_name: 'A' },
      ...message,
    },
  });
const spread = (name: string, text: string): Uint8Array =>
  Buffer.from(
    said({ text: '@'.repeat(text.length) })
      .toString()
      .replace('"text"', `"${name}":${text},"text"`),
  );

/** Readers of mails, which anybody can write, and of posts without a signature. */
const ofMails: Record<string, Reader> = {
  HTML: { units: htmlUnits, size: 5000, read: textOfHtml },
  'HTML inside of many elements': {
    units: ['</b>', '<b></b>', '<p></p>', '<li>', '<tr>', '</div><div>'],
    size: 5000,
    read: (text) => textOfHtml('<div>'.repeat(490) + text),
  },
  'a style sheet': {
    units: [
      'a{',
      '}',
      '{',
      ';',
      '"',
      "'",
      '(',
      '/*',
      '*/',
      '\\',
      '@media{',
      '@media(',
      '.a .b{}',
      'a>b+c{',
      '[a=',
      ':not(',
    ],
    size: 2500,
    read: (text) => textOfHtml(`<style>${text}</style><p class="a b">x`),
  },
  'styles of elements': {
    units: ['a:b;', 'font:', 'color:rgb(', 'color:', '0 ', '\\6', '/*', '!important', 'calc(1px '],
    size: 2500,
    read: (text) => textOfHtml(`<p style='${text}'>x`.repeat(20)),
  },
  'a calendar': {
    units: ['SUMMARY:', 'METHOD;', 'BEGIN:VEVENT\n', '\n ', ';a', ':', 'a'],
    size: 2500,
    read: (text) => readCalendar(text, text),
  },
  'a list': {
    units: ['<a@b>', '@', 'a@', '<', 'mailto:', 'a@b '],
    size: 2500,
    read: (text) =>
      readList(
        new Map([
          ['list-id', [text]],
          ['mailing-list', [text]],
          ['list-post', [text]],
        ]),
      ),
  },
  'what is left below a text': {
    units: ['a: b\n', '1.1. ', 'a@', ':\n', '> a\n', 'a\n', '-', ' ', '日'],
    size: 2500,
    read: (text) => [beginsQuotation(text), isWholeQuotation(text), beginsWithSent(text, [text])],
  },
  'a plain part': {
    units: ['a ', '日', 'html', ' ', 'view this '],
    size: 2500,
    read: (text) => isPlainPartOf(text, text),
  },
  'an automatic subject': {
    units: ['automatic reply', 'out of the ', ': ', '[', ' ', 'absence'],
    size: 2500,
    read: isAutomaticSubject,
  },
  'a quotation': { units: textUnits, size: 15_000, read: withoutQuotation },
  'a text and what the mailer made of it': {
    units: textUnits,
    size: 7500,
    read: (text) =>
      readMailText(formOf({ 'body-plain': text, 'stripped-text': text, 'stripped-signature': text })),
  },
  people: { units: addressUnits, size: 512, read: peopleIn },
  'addresses of many fields': {
    units: addressUnits,
    size: 512,
    read: (text) => addressesIn(Array.from({ length: 50 }, () => text)),
  },
  'encoded words': { units: wordUnits, size: 2500, read: decodeWords },
  'a subject': { units: [...wordUnits, ...textUnits], size: 2500, read: (text) => oneLine(text, 500) },
  'the subject of an answer': {
    units: ['Re: ', 'Re', 'Re [', 're[123]:', ' '],
    size: 2500,
    read: answerSubject,
  },
  'Message-Ids': { units: ['<a>', '<', '<a', '<a<', '<a@b> ', '<\0'], size: 5000, read: messageIdsIn },
  'a list of headers': {
    units: ['["A","b"],', '["a",""],', '[[],', '["x",1],', '["References","<a>"],'],
    size: 7500,
    read: (text) => readHeaders(formOf({ 'message-headers': list(text) })),
  },
  'JSON that never ends': {
    units: ['[', '{"a":', '"', '1,', '\\u0000'],
    size: 7500,
    read: (text) => readMail(formOf({ 'message-headers': text, 'content-id-map': text })),
  },
  'headers as fields': {
    units: [...wordUnits, ...addressUnits],
    size: 1250,
    read: (text) =>
      readHeaders(formOf(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`X-${n}`, text])))),
  },
  'every field at once': {
    units: [...textUnits, ...htmlUnits.slice(0, 8), ...addressUnits.slice(0, 8), ...wordUnits.slice(0, 8)],
    size: 2500,
    read: async (text) => {
      const names = ['recipient', 'sender', 'from', 'From', 'To', 'Cc', 'subject', 'Subject', 'References'];
      const bodies = ['body-plain', 'body-html', 'stripped-text', 'Date', 'Message-Id', 'Auto-Submitted'];
      const more = [
        'Content-Type',
        'Precedence',
        'X-Auto-Response-Suppress',
        'Return-Path',
        'content-id-map',
      ];
      const fields = Object.fromEntries([...names, ...bodies, ...more].map((name) => [name, [text, text]]));
      const { mail } = await readPosted({
        fields: collectFields(fields),
        files: [{ name: text, sha256: '' }],
      });
      return judge(mail, { isOwnAddress: false });
    },
  },
  'a report': {
    units: [
      'Action: ',
      'Action:\n',
      'Status: 5',
      'Diagnostic-Code: ',
      'Diagnostic-Code: a',
      'Diagnostic-Code:\n',
    ],
    size: 5000,
    read: (text) => [readReport(text), readReport(`x ${text}`, { subject: text, recipient: text })],
  },
  'the name of a file': {
    units: ['.', 'a.', '/', '\\', '\u202e', 'a', '.aaaaaaaaa1'],
    size: 2500,
    read: (text) => cleanFileName(text, 1),
  },
  'the first bytes of a file': {
    units: [
      'PK\x03\x04',
      '\x00\x00\x00\x08ftyp',
      'RIFF\x00\x00',
      '\x1a\x45\xdf\xa3\x80',
      'ID3\x04\x00',
      '<?xml',
      '\xff\xd8\xff\xe0',
    ],
    size: 512,
    read: (text) => mediaTypeOf(Buffer.from(text, 'latin1').subarray(0, 4100), 'a.txt'),
  },
  'fields that are percent-encoded': {
    units: ['+', '%41', '%C3%A4', '%', '%4', '%ff', 'a'],
    size: 25_000,
    read: (text) =>
      ['body-plain', 'subject', 'recipient'].map((name) => mailForm(encoded(name, text)).all(name)),
  },
  'whom a post is for, before anything is verified': {
    units: addressUnits,
    size: 5000,
    read: async (text) => {
      const many = Array.from({ length: 100 }, () => text);
      const form = formOf({
        recipient: many,
        To: many,
        Cc: many,
        signature: text,
        token: text,
        timestamp: text,
      });
      const mailboxes = { ofAddress: async () => null, ofBot: async () => null } as never;
      await expect(findReceiver({ mailboxes }, null, form)).rejects.toThrow('nobody receives this mail here');
    },
  },
};

/** Readers of deliveries of the messenger or the identity provider. */
const ofDeliveries: Record<string, Reader> = {
  'mentions and commands': {
    units: [
      '{"type":"mention","offset":0,"length":100000},',
      '{"type":"bot_command","offset":0,"length":9},',
      '{},',
      '1,',
    ],
    size: 2500,
    read: (text) => readUpdateBytes(spread('entities', list(text)), bot),
  },
  'a text, its caption and what it quotes': {
    units: [...textUnits, '@helper', '/a'],
    size: 5000,
    read: (text) =>
      readUpdateBytes(
        said({
          text,
          caption: text,
          quote: { text },
          entities: [{ type: 'bot_command', offset: 0, length: 2 }],
          reply_to_message: { message_id: 1, from: { id: 7 }, text, caption: text },
        }),
        bot,
      ),
  },
  'names of people, groups and files': {
    units: ['a', '\u202e', '\0', ' ', '-a', '\ud800'],
    size: 5000,
    read: (text) =>
      readUpdateBytes(
        said({
          text: 'x',
          media_group_id: text,
          document: { file_name: text, mime_type: text },
          chat: { id: 5, type: 'private', title: text, first_name: text, last_name: text },
          from: { id: 3, first_name: text, last_name: text, username: text, language_code: text },
        }),
        bot,
      ),
  },
  buttons: {
    units: ['[{"text":"a"}],', '[],', '[{"text":1}],', '[{"text":"a"},{"text":"a"},{"text":"a"}],'],
    size: 5000,
    read: (text) =>
      readUpdateBytes(
        Buffer.from(
          `{"update_id":1,"callback_query":{"id":"1","from":{"id":3},"data":"x","message":{"message_id":1,` +
            `"chat":{"id":5,"type":"private"},"reply_markup":{"inline_keyboard":${list(text)}}}}}`,
        ),
        bot,
      ),
  },
  'pictures in many sizes': {
    units: ['{"file_size":1},', '{},', '1,'],
    size: 5000,
    read: (text) => readUpdateBytes(spread('photo', list(text)), bot),
  },
  'updates that are nothing': {
    units: ['[', '{"a":', '"', '1,', '{"update_id":1,"a":['],
    size: 12_500,
    read: (text) => readUpdateBytes(Buffer.from(text), bot),
  },
  'events of the identity provider': {
    units: ['{"email_address":"a@b.example"},', '{},', '1,', '"",'],
    size: 2500,
    read: (text) =>
      readIdentityEvent(
        Buffer.from(`{"type":"user.updated","data":{"id":"u","email_addresses":${list(text)}}}`),
        1,
      ),
  },
  'names at the identity provider': {
    units: ['a', ' ', '\0', '\ud800'],
    size: 5000,
    read: (text) => {
      const data = { id: 'u', first_name: text, last_name: text, username: text };
      return readIdentityEvent(Buffer.from(JSON.stringify({ type: 'user.updated', data })), 1);
    },
  },
};

const longUnits = ['[', '漢', 'a ', '&', '\\', '|a', '\n\n'];

/**
 * The length of an answer beyond the read part costs nothing. Within it, see `hostile-markdown.test.ts`: the time is
 * bounded.
 */
const ofModels: Record<string, Reader> = {
  'the Markdown of a chat': { units: longUnits, size: 100_000, read: (text) => formatReply(text) },
  'the Markdown of a mail': { units: longUnits, size: 100_000, read: (text) => formatMail(text) },
  'whether Markdown is read on the main loop': { units: markdownUnits, size: 512, read: isQuicklyLexed },
};

describe.each([
  ['mails', ofMails],
  ['deliveries', ofDeliveries],
  ['models', ofModels],
])('W-13: the cost of reading %s is proportional to its length', (_what, readers) => {
  test.each(Object.entries(readers))('%s', async (_name, { units, size, read }) => {
    const grown: string[] = [];
    for (const unit of units) {
      const { ms, perByte } = await measureGrowth({ make: (wanted) => repeat(unit, wanted), read, size });
      if (perByte >= maxGrowth)
        grown.push(
          `${JSON.stringify(unit)}: ${perByte.toFixed(1)} (${ms.map((one) => one.toFixed(1)).join(', ')} ms)`,
        );
    }
    expect(grown).toEqual([]);
  });
});
