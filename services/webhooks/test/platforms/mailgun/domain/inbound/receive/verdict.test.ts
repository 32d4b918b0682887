import { describe, expect, test } from 'vitest';
import { mailForm } from '../../../../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { readMail } from '../../../../../../src/platforms/mailgun/domain/inbound/read/read-mail.ts';
import { automaticHeaders } from '../../../../../../src/platforms/mailgun/domain/inbound/receive/automatic-headers.ts';
import { judge } from '../../../../../../src/platforms/mailgun/domain/inbound/receive/verdict.ts';
import { collectFields } from '../../../../../collect-fields.ts';

type Headers = readonly (readonly [string, string])[];
const own: Headers = [
  ['From', 'Anna Keller <anna@customer.example>'],
  ['Message-Id', '<1@customer.example>'],
];

async function verdictOf(
  headers: Headers,
  { subject = 'Question', text = 'Hello', fields = {}, allowedLists = [] as string[] } = {},
) {
  const names = new Set(headers.map(([name]) => name));
  const all = [...own.filter(([name]) => !names.has(name)), ['Subject', subject], ...headers];
  const posted = { sender: 'anna@customer.example', subject, 'body-plain': text, ...fields };
  const form = mailForm(collectFields({ ...posted, 'message-headers': JSON.stringify(all) }));
  return judge(await readMail(form), { isOwnAddress: false, allowedLists });
}

describe('a mail of a program is automatic', () => {
  test('every sign has a source', () => {
    expect(automaticHeaders.filter(({ source }) => source.length < 5)).toEqual([]);
  });

  test.each([
    ['osTicket/osTicket-1.7#532', [['X-Loop', 'yes']]],
    ['zammad/zammad#193', [['Precedence', 'bulk']]],
    ['jbostoen/itop-jb-mail-to-ticket-automation-v2#21', [['X-Autorespond', 'Away']]],
    ['Nine-Minds/alga-psa#2705', [['auto-submitted', 'auto-replied (vacation)']]],
    ['a hosting panel', [['X-Autoresponder', '1']]],
    ['a vacation program', [['X-Mailer', 'vacation 3.3']]],
    ['Domino', [['Preference', 'auto_reply']]],
    ['a newsletter', [['Feedback-ID', '1:2:3:x']]],
    ['FreeScout', [['X-FreeScout-Mail-Type', 'auto.reply']]],
    ['another ticket system', [['X-OTRS-Loop', 'True']]],
    ['a Dutch shop', [['From', 'niet-beantwoorden@shop.example']]],
    ['a list manager', [['From', 'owner-news@lists.example']]],
    ['a calendar', [['Content-Type', 'text/calendar; charset=utf-8; method=REPLY']]],
    [
      'a read receipt',
      [['Content-Type', 'multipart/report; report-type=disposition-notification; boundary=x']],
    ],
  ] as [string, Headers][])('by its headers: %s', async (_what, headers) => {
    expect(await verdictOf(headers)).toMatchObject({ kind: 'ignored' });
  });

  test.each([
    'Automatic reply: Question',
    'Out of Office: Question',
    'Automatische Antwort: Frage',
    'Réponse automatique : Question',
    'Respuesta automática: Pregunta',
    'Risposta automatica: Domanda',
    'Resposta automática: Pergunta',
    'Automatisch antwoord: Vraag',
    'Autosvar: Fråga',
    'Automaattinen vastaus: Kysymys',
    'Odpowiedź automatyczna: Pytanie',
    'Automatická odpověď: Dotaz',
    'Automatikus válasz: Kérdés',
    'Автоматический ответ: Вопрос',
    'Αυτόματη απάντηση: Ερώτηση',
    'Otomatik yanıt: Soru',
    'תשובה אוטומטית: שאלה',
    'رد تلقائي: سؤال',
    '自动答复: 问题',
    '自動応答: 質問',
    '자동 회신: 질문',
    'Trả lời tự động: Câu hỏi',
  ])('by its subject alone (osTicket/osTicket#1041): %s', async (subject) => {
    expect(await verdictOf([], { subject })).toEqual({
      kind: 'ignored',
      reason: 'automatic mail',
      sign: 'its subject',
    });
  });

  test('by its envelope, and by a calendar that answers an invitation', async () => {
    expect(await verdictOf([], { fields: { sender: '' } })).toMatchObject({ reason: 'no return path' });
    const reply = { 'body-calendar': 'BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nBEGIN:VEVENT\r\nSUMMARY:Lunch' };
    expect(await verdictOf([], { subject: 'Accepted: Lunch', fields: reply })).toMatchObject({
      reason: 'calendar reply',
    });
  });
});

test.each([
  ['a subject about automatic replies', [], "Automatic replies don't work"],
  ['an answer to one', [], 'Re: Automatic reply: Question'],
  ['a mail that wants no absence replies', [['X-Auto-Response-Suppress', 'OOF']], 'Question'],
  ['a mail that wants no receipts', [['X-Auto-Response-Suppress', 'DR, RN, NRN, OOF']], 'Question'],
  ['a mail that says that it is not automatic', [['Auto-Submitted', 'no; really']], 'Question'],
  ['an invitation', [['Content-Type', 'text/calendar; method=REQUEST']], 'Accepted: our offer'],
] as [string, Headers, string][])("a person's mail is no program's: %s", async (_what, headers, subject) => {
  expect(await verdictOf(headers, { subject })).toEqual({ kind: 'person' });
});

describe('a mail through a list', () => {
  const group: Headers = [
    ['From', "'Anna Keller' via Support <support@acme.example>"],
    ['X-Original-Sender', 'anna@customer.example'],
    ['List-Id', 'Support <support.acme.example>'],
    ['List-Post', '<mailto:support@acme.example>'],
    ['List-Unsubscribe', '<mailto:x@acme.example>'],
    ['Precedence', 'list'],
    ['Mailing-list', 'list support@acme.example; contact support+owners@acme.example'],
  ];

  test('is not answered, unless the tenant allows the list by its id or address', async () => {
    expect(await verdictOf(group)).toMatchObject({ kind: 'ignored', reason: 'mailing list' });
    expect(await verdictOf(group, { allowedLists: ['other.acme.example'] })).toMatchObject({
      kind: 'ignored',
    });
    for (const allowed of ['support.acme.example', 'support@acme.example'])
      expect(await verdictOf(group, { allowedLists: [allowed] })).toEqual({ kind: 'person' });
  });

  test('is still automatic where a program wrote to an allowed list', async () => {
    const headers: Headers = [...group, ['Auto-Submitted', 'auto-replied']];
    expect(await verdictOf(headers, { allowedLists: ['support.acme.example'] })).toMatchObject({
      reason: 'automatic mail',
    });
  });

  test('is of the person behind it (itflow-org/itflow#1259), and no answer goes to a list', async () => {
    const read = async (headers: Headers) =>
      await readMail(mailForm(collectFields({ 'message-headers': JSON.stringify(headers) })));
    expect((await read(group)).from).toEqual({ address: 'anna@customer.example', name: 'Anna Keller' });
    const unnamed = group.filter(([name]) => name !== 'X-Original-Sender');
    expect(await verdictOf(unnamed, { allowedLists: ['support@acme.example'] })).toMatchObject({
      kind: 'ignored',
    });
  });
});
