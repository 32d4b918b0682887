import { describe, expect, test } from 'vitest';
import { mailForm } from '../../../../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { readMailText } from '../../../../../../src/platforms/mailgun/domain/inbound/read/mail-text.ts';
import { collectFields } from '../../../../../collect-fields.ts';

const formOf = (fields: Record<string, unknown>) => mailForm(collectFields(fields));
const textOf = async (fields: Record<string, unknown>): Promise<string> =>
  (await readMailText(formOf(fields))).text;
const plain = (text: string, more: Record<string, unknown> = {}) => textOf({ 'body-plain': text, ...more });

describe("a person's own text", () => {
  test.each([
    [
      'Gmail',
      'Thanks.\r\n\r\nOn Fri, 20 Nov 2026 at 18:00, Acme <a@acme.example> wrote:\r\n\r\n> Hello\r\n> \r\n> Acme\r\n',
      'Thanks.',
    ],
    [
      'Gmail in German, broken over two lines',
      'Danke.\n\nAm Fr., 20. Nov. 2026 um 18:00 Uhr schrieb Acme Support mit langem Namen <\na@acme.example>:\n\n> Hallo',
      'Danke.',
    ],
    [
      'a French one',
      'Merci.\n\nLe ven. 20 nov. 2026 à 18:00, Acme <a@acme.example> a écrit :\n> Bonjour',
      'Merci.',
    ],
    [
      'Outlook',
      'Yes.\n\n-----Original Message-----\nFrom: Acme\nSent: Friday\nTo: Anna\nSubject: x\n\nHello',
      'Yes.',
    ],
    [
      'Outlook without marks',
      'Yes.\n\n________________________________\nVon: Acme\nGesendet: Freitag\nAn: Anna\nBetreff: x\n\nHallo',
      'Yes.',
    ],
    [
      'Outlook with a plain heading',
      'Yes.\n\nFrom: Acme <a@acme.example>\nSent: Friday, November 20, 2026 6:00 PM\nTo: Anna <anna@example.com>\nSubject: x\n\nHello',
      'Yes.',
    ],
    ['a bold heading', 'Ja.\n\n*Von:* Acme\n*Gesendet:* Freitag\n*An:* Anna\n*Betreff:* x\n\nHallo', 'Ja.'],
    [
      'Outlook in Italian',
      'Sì.\n\n-----Messaggio originale-----\nDa: Acme\nInviato: venerdì\nA: Anna\nOggetto: x\n\nCiao',
      'Sì.',
    ],
    [
      'Outlook in Dutch',
      'Ja.\n\n________________________________\nVan: Acme\nVerzonden: vrijdag\nAan: Anna\nOnderwerp: x\n\nHallo',
      'Ja.',
    ],
    [
      'Outlook in Russian',
      'Да.\n\nОт: Acme <a@acme.example>\nОтправлено: пятница\nКому: Anna\nТема: x\n\nПривет',
      'Да.',
    ],
    [
      'Outlook in Chinese',
      '好的。\n\n发件人： Acme <a@acme.example>\n发送时间： 2026年11月20日 18:00\n收件人： Anna\n主题： x\n\n你好',
      '好的。',
    ],
    [
      'Gmail in Chinese',
      '谢谢。\n\nAcme <a@acme.example> 于2026年11月20日周五 18:00写道：\n\n> 你好',
      '谢谢。',
    ],
    [
      'Gmail in Hebrew, with marks of direction',
      'תודה\n\n\u202bבתאריך יום ו׳, 20 בנוב׳ 2026 ב-18:00 מאת \u202aAcme\u202c <\u202aa@acme.example\u202c>:\u202c\n\n> שלום',
      'תודה',
    ],
    [
      'Yahoo, without marks',
      'Thanks.\n\n    On Friday, November 20, 2026 at 06:00:00 PM GMT+1, Acme <a@acme.example> wrote:  \n \n Hello',
      'Thanks.',
    ],
    [
      'Proton, with a heading above the introduction',
      'Thanks.\n\n------- Original Message -------\nOn Friday, November 20th, 2026 at 6:00 PM, Acme <a@acme.example> wrote:\n\n> Hello',
      'Thanks.',
    ],
    [
      'a request with words of a heading',
      'From: Berlin\nTo: Munich\nDate: 3 Dec\n\nPlease book it.',
      'From: Berlin\nTo: Munich\nDate: 3 Dec\n\nPlease book it.',
    ],
    ['a signature', 'Hello\n\n-- \nAnna Keller\nAcme Ltd.', 'Hello'],
    ['an answer below the quotation', '> Which colour?\n\nBlue.', '> Which colour?\n\nBlue.'],
    [
      'answers between quoted lines',
      '> Which colour?\nBlue.\n> Which size?\nLarge.\n> Regards\n> Acme',
      '> Which colour?\nBlue.\n> Which size?\nLarge.',
    ],
    ['a quotation alone', '> only this', '> only this'],
    ['a line of underscores', 'Fill in:\n____________________\nName', 'Fill in:\n____________________\nName'],
    ['a sentence that ends with a colon', 'We need 3 things:\n\n> a\n> b', 'We need 3 things:\n\n> a\n> b'],
    [
      'dashes in the text',
      'a\n--\nb\n'.repeat(20),
      `${'a\n--\nb\n'.repeat(20)}`.trim().replace(/\n--\nb$/, ''),
    ],
  ])('%s', async (_what, written, text) => {
    expect(await plain(written)).toBe(text);
  });

  test('is the mailer’s stripped text where that has lost nothing', async () => {
    expect(
      await plain('Hello,\n\nwhere is it?\n\nAnna', {
        'stripped-text': 'Hello,\n\nwhere is it?',
        'stripped-signature': 'Anna',
      }),
    ).toBe('Hello,\n\nwhere is it?');
  });

  test.each([
    ['a sentence', { 'stripped-text': 'Hello' }],
    ['the whole text', { 'stripped-text': '' }],
    [
      'a question that it takes for a signature',
      { 'stripped-text': 'Hello', 'stripped-signature': 'Can you send it to Berlin?' },
    ],
  ])('is never less %s for the mailer’s stripping', async (_what, stripped) => {
    expect(await plain('Hello\n\nCan you send it to Berlin?', stripped)).toBe(
      'Hello\n\nCan you send it to Berlin?',
    );
  });

  test('is read from HTML alone, without quotations', async () => {
    const html =
      '<html><head><title>x</title><style>p{}</style></head><body><p>Thanks,&nbsp;that <b>helps</b>.</p><ul><li>one</li><li>two</li></ul><script>alert(1)</script>' +
      '<div class="gmail_quote"><div>On Fri, 20 Nov 2026 at 18:00, Acme &lt;a@acme.example&gt; wrote:<br></div><blockquote>Hello Anna,<br>on Monday.</blockquote></div></body></html>';
    expect(await textOf({ 'body-html': html })).toBe('Thanks, that helps.\n\n- one\n- two');
    expect(await textOf({ 'body-plain': ' \r\n', 'body-html': ['<p>a', '<p>b'] })).toBe('a\n\nb');
  });

  test('is read from the HTML of Outlook without the answered mail', async () => {
    const heading =
      '<b>From:</b> Acme &lt;a@acme.example&gt;<br><b>Sent:</b> Friday<br><b>To:</b> Anna<br><b>Subject:</b> x';
    const html = `<div>Yes.</div><hr><div id="divRplyFwdMsg"><font>${heading}</font></div><div>Hello</div>`;
    expect(await textOf({ 'body-html': html })).toBe('Yes.');
  });

  const headers =
    'From: Bob <bob@example.com>\nDate: Fri, 20 Nov 2026\nSubject: Kettles\nTo: <anna@example.com>';
  test.each([
    ['Gmail', 'Kettles', `Please answer.\n\n---------- Forwarded message ---------\n${headers}\n\nHow much?`],
    ['Outlook', 'FW: Kettles', `Please answer.\n\n${headers.replace('Date', 'Sent')}\n\nHow much?`],
    [
      'Outlook in German',
      'WG: Kettles',
      `Bitte.\n\n-----Ursprüngliche Nachricht-----\n${headers}\n\nHow much?`,
    ],
    ['Apple', 'Kettles', 'Please answer.\n\nBegin forwarded message:\n\n> From: Bob\n>\n> How much?'],
    [
      'a quotation',
      'Fwd: Kettles',
      'See below.\n\nOn 20 Nov 2026, Bob <bob@example.com> wrote:\n> How much?',
    ],
  ])('includes a mail that the person forwards with %s', async (_what, subject, text) => {
    expect(await plain(text, { subject, 'stripped-text': text.slice(0, 6) })).toBe(text);
  });

  test('keeps the original, and is empty if there is none', async () => {
    const both = await readMailText(formOf({ 'body-plain': 'a\r\n> b', 'body-html': '<p>a' }));
    expect(both).toEqual({ text: 'a', unquoted: null, originalText: 'a\n> b', html: '<p>a' });
    expect(await readMailText(formOf({}))).toEqual({
      text: '',
      unquoted: null,
      originalText: null,
      html: null,
    });
  });
});
