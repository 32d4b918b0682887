import { randomBytes } from 'node:crypto';
import { type Fields, sampleForm, triple } from '../../../../services/webhooks/test/mailboxes.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import type { Delivery } from '../delivery.ts';
import type { Mailbox, WebhookFixture } from '../fixture.ts';
import { envelope } from './envelope.ts';
import { formBody } from './forms.ts';
import type { Pair } from './multipart.ts';

const sampleNames = [
  ...[
    'new_thread_plain',
    'attachments',
    'attachment_only_no_body',
    'auto_submitted_no',
    'broken_charset_subject',
  ],
  ...[
    'header_injection_subject',
    'non_utf8_subject',
    'own_message_loop',
    'reply_to_differs',
    'reply_with_quote',
  ],
  ...['subaccount_parent_signature', 'eleven_attachments', 'auto_reply_exchange'],
];
const samples = sampleNames.map(sampleForm);

type Signed = Pick<Delivery, 'secret' | 'trick'> & { pairs: Pair[] };

const pairsOf = (fields: Readonly<Record<string, string>>): Pair[] => Object.entries(fields);

/** Signs an email with right and wrong variants of the signature triple (W-05). */
function signMail(random: SeededRandom, { signingKey }: Mailbox, others: readonly Mailbox[]): Signed {
  const now = Math.floor(Date.now() / 1000);
  const right = (pairs: Pair[], trick = ''): Signed => ({ secret: 'right', pairs, trick });
  // Without a key signatures are not verified (REQ-HOOK-2), so none counts as wrong.
  const wrong = (trick: string, pairs: Pair[]): Signed => ({
    secret: signingKey ? 'wrong' : 'odd',
    pairs,
    trick,
  });
  const key = signingKey ?? 'none';
  const good = triple({ key });
  if (random.chance(0.6)) return right(pairsOf(good));
  const foreign = others.find((one) => one.signingKey && one.signingKey !== signingKey)?.signingKey ?? 'x';
  const without = (name: string) => pairsOf(good).filter(([field]) => field !== name);
  return random.pick<() => Signed>([
    () => wrong('another key', pairsOf(triple({ key: `${key}x` }))),
    () => wrong("another bot's key", pairsOf(triple({ key: foreign }))),
    () => wrong('no triple', []),
    () => wrong('no timestamp', without('timestamp')),
    () => wrong('no token', without('token')),
    () => wrong('no signature', without('signature')),
    () => wrong('an empty signature', pairsOf({ ...good, signature: '' })),
    () => wrong('all empty', pairsOf({ timestamp: '', token: '', signature: '' })),
    () => wrong('a signature cut off', pairsOf({ ...good, signature: good.signature.slice(0, 63) })),
    () => wrong('no digits', pairsOf({ ...good, signature: 'z'.repeat(64) })),
    () => wrong('stale', pairsOf(triple({ key, atSeconds: now - 9 * 3600 }))),
    () => wrong('from the future', pairsOf(triple({ key, atSeconds: now + 3600 }))),
    () => wrong('a number of the past', pairsOf(triple({ key, atSeconds: -1 }))),
    () => wrong('the token changed', pairsOf({ ...good, token: `${good.token}0` })),
    () =>
      wrong(
        'shifted',
        pairsOf({
          ...good,
          timestamp: good.timestamp.slice(0, -1),
          token: `${good.timestamp.at(-1)}${good.token}`,
        }),
      ),
    () => ({
      ...wrong('wrong, then right', [...pairsOf({ ...good, signature: 'a'.repeat(64) }), ...pairsOf(good)]),
      secret: 'odd',
    }),
    () =>
      wrong(
        'nested names',
        pairsOf({
          'signature[signature]': good.signature,
          'signature[token]': good.token,
          'signature[timestamp]': good.timestamp,
        }),
      ),
    () => ({
      ...wrong('upper case', pairsOf({ ...good, signature: good.signature.toUpperCase() })),
      secret: 'odd',
    }),
    () => ({ ...wrong('twice the same', [...pairsOf(good), ...pairsOf(good)]), secret: 'odd' }),
    () => ({
      ...wrong(
        'by the account above',
        pairsOf({ ...good, signature: 'a'.repeat(64), 'parent-signature': good.signature }),
      ),
      secret: 'odd',
    }),
  ])();
}

export function emailDelivery(
  random: SeededRandom,
  { mailboxes }: WebhookFixture,
  { number, mark }: { number: number; mark: string },
): Delivery {
  const mailbox = random.pick(mailboxes);
  const { fields, files } = random.pick(samples);
  const signed = signMail(random, mailbox, mailboxes);
  const pairs = [...mailPairs(fields, mailbox, mark), ...signed.pairs];
  const form = formBody(random, { pairs, files, mark });
  const enveloped = envelope(random, form.body, form.type);
  const isForBot = random.chance(0.7);
  return {
    number,
    source: 'email',
    method: 'POST',
    body: enveloped.body,
    secret: signed.secret,
    path: isForBot ? `/webhooks/email/${mailbox.botId}` : '/webhooks/email',
    headers: enveloped.headers,
    ...(enveloped.isCutOff ? { isCutOff: true } : {}),
    trick: [form.trick, enveloped.trick, signed.trick].filter(Boolean).join(', '),
  };
}

/** Returns the sample as a new email to this mailbox, with the mark in all texts. */
function mailPairs(fields: Fields, { address }: Mailbox, mark: string): Pair[] {
  const messageId = `<${mark}-${randomBytes(4).toString('hex')}@mail.example.com>`;
  return Object.entries(fields)
    .filter(([name]) => !/^(timestamp|token|signature|parent-signature)$/.test(name))
    .map(([name, value]): Pair => {
      if (name === 'recipient' || name === 'To') return [name, address];
      if (/^message-id$/i.test(name)) return [name, messageId];
      if (name === 'message-headers')
        return [
          name,
          String(value).replace(/(\["message-id", *")[^"]*/i, (_all, head: string) => `${head}${messageId}`),
        ];
      return [
        name,
        /^(subject|body-plain|stripped-text|body-html)$/i.test(name) ? `${mark} ${value}` : String(value),
      ];
    });
}
