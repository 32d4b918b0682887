import { describe, expect, test } from 'vitest';
import { mailForm } from '../../../../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { readMailText } from '../../../../../../src/platforms/mailgun/domain/inbound/read/mail-text.ts';
import { beginsWithSent } from '../../../../../../src/platforms/mailgun/domain/inbound/read/quoted-rest.ts';
import { collectFields } from '../../../../../collect-fields.ts';

const read = (text: string, stripped: string, more: Record<string, string> = {}) =>
  readMailText(mailForm(collectFields({ 'body-plain': text, 'stripped-text': stripped, ...more })));

describe('what the mailer took for a quotation is left out', () => {
  test.each([
    [
      'Greek headers',
      'Από: Support <s@x.example>\nΣτάλθηκε: Παρασκευή\nΠρος: Anna\nΘέμα: Re: Question\n\nThe parcel left.',
    ],
    [
      'Vietnamese headers',
      'Từ: Support\nĐã gửi: Thứ Sáu\nĐến: Anna\nChủ đề: Re: Question\n\nThe parcel left.',
    ],
    ['Thai headers', 'จาก: Support\nส่ง: วันศุกร์\nถึง: Anna\n\nThe parcel left.'],
    [
      'French headers (quentez/talonjs#2)',
      'De : Support\nEnvoyé : vendredi 20\nÀ : Anna\nObjet : Re\n\nThe parcel left.',
    ],
    ['a phone', 'On Fri, Nov 20, 2026 at 6:40 PM, Support wrote:\n\nThe parcel left.'],
    [
      'a broken line (discourse/email_reply_trimmer#8)',
      '2017-02-05 13:29 GMT+02:00 Very long author name <\nsupport@x.example>:\n\nThe parcel left.',
    ],
    [
      'a word alone (alfonsrv/mail-parser-reply#31)',
      'Den fre 20 nov. 2026 kl 18:40 Support <s@x.example>\nskrev:\n\nThe parcel left.',
    ],
    [
      'blanks before the marks (crisp-oss/email-reply-parser#32)',
      '---- Original ----\nOn 20.11.2026 S wrote:\n > The parcel left.\n > Bye',
    ],
  ])('%s', async (_what, rest) => {
    expect((await read(`Thanks, that helps.\n\n${rest}`, 'Thanks, that helps.')).text).toBe(
      'Thanks, that helps.',
    );
  });

  test('where only the thread can tell, by the words of a mail that was sent', async () => {
    const { text, unquoted } = await read(
      'Thanks.\n\nSupport wrote\nThe parcel left our house on Monday.',
      'Thanks.',
    );
    expect(text).toContain('left our house');
    expect(unquoted?.text).toBe('Thanks.');
    expect(beginsWithSent(unquoted!.rest, ['Hello,\nthe parcel left our\nhouse on Monday. Bye'])).toBe(true);
    expect(beginsWithSent(unquoted!.rest, ['Your parcel arrives tomorrow, we think.', ''])).toBe(false);
  });
});

describe("a person's words are never left out", () => {
  test.each([
    ['a sentence', 'Hello', 'Can you send it to Berlin?'],
    ['a sentence with a date', 'Hello', 'I need it on 20.11.2026.'],
    ['an answer below quoted lines', 'Hello', 'On 20.11.2026 S wrote:\n> Which colour?\nBlue.'],
    [
      'their own quotation (github/email_reply_parser#3)',
      'Hi!',
      'let me end it with a quote\n\n> this is a quote!\n\nand more',
    ],
  ])('%s', async (_what, stripped, rest) => {
    expect((await read(`${stripped}\n\n${rest}`, stripped)).text).toContain(rest.split('\n').at(-1)!);
  });

  test('where the stripped text is no beginning of the text', async () => {
    expect((await read('One\n\nTwo\n\nOn 20.11.2026 S wrote:\n\nx', 'Two')).text).toContain('One');
  });
});

describe('the plain part', () => {
  const html =
    '<p>Please cancel my contract 4711 by the end of the month, and send me a letter about it.</p>';
  test.each([
    ['a stub', 'This message requires an HTML capable mail client.'],
    ['a stub that shares words', 'To view this message, please use an HTML compatible email client'],
    ['a stub in German', 'Ihr E-Mail-Programm unterstützt keine HTML-E-Mails.'],
    ['one word of many', 'Please'],
    ['another text', 'Lorem ipsum dolor sit amet'],
  ])('loses against the HTML: %s', async (_what, plain) => {
    expect((await read(plain, plain, { 'body-html': html })).text).toMatch(/^Please cancel my contract 4711/);
  });

  test('wins if it is the same mail, with the addresses that only the HTML has', async () => {
    const linked = '<p>Where is <a href="https://shop.example/4711">my order</a>?</p>';
    expect((await read('Where is my order?', '', { 'body-html': linked })).text).toBe(
      'Where is my order (https://shop.example/4711)?',
    );
    const said = 'Where is my order <https://shop.example/4711>?';
    expect((await read(said, '', { 'body-html': linked })).text).toBe(said);
  });

  test('of a mail in Chinese is compared by characters', async () => {
    const { text } = await read('请取消我的合同', '', { 'body-html': '<p>请取消我的合同</p>' });
    expect(text).toBe('请取消我的合同');
  });
});
