import { createHmac } from 'node:crypto';
import type { SeededRandom } from '../../seeded-random.ts';
import type { Delivery } from '../delivery.ts';
import type { WebhookFixture } from '../fixture.ts';
import { envelope } from './envelope.ts';
import { jsonTricks } from './json-tricks.ts';
import { events, rewrite } from './samples.ts';

type Signed = Pick<Delivery, 'secret' | 'trick'> & { headers: string[] };

function signatureOf(secret: string, parts: { id: string; at: string; body: Buffer }): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${parts.id}.${parts.at}.`).update(parts.body).digest('base64')}`;
}

/** Signs an event with right and wrong variants of the signature (W-04). */
function signEvent(random: SeededRandom, body: Buffer, secret: string): Signed {
  const id = `msg_${random.digits(24)}`;
  const now = Math.floor(Date.now() / 1000);
  const at = String(now);
  const good = signatureOf(secret, { id, at, body });
  const three = (signature: string, time = at, prefix = 'svix') => [
    ...[`${prefix}-id`, id, `${prefix}-timestamp`, time, `${prefix}-signature`, signature],
  ];
  const right = (trick: string, headers = three(good)): Signed => ({ secret: 'right', headers, trick });
  const wrong = (trick: string, headers: string[]): Signed => ({ secret: 'wrong', headers, trick });
  const signedAt = (time: string) => three(signatureOf(secret, { id, at: time, body }), time);
  if (random.chance(0.6)) return right('');
  return random.pick<() => Signed>([
    () => right('the other names', three(good, at, 'webhook')),
    () => right('one of several', three(`v1,AAAA v2,x ${good}`)),
    () =>
      wrong(
        'another secret',
        three(signatureOf(`whsec_${Buffer.from(random.digits(32)).toString('base64')}`, { id, at, body })),
      ),
    () =>
      wrong(
        'another body',
        three(signatureOf(secret, { id, at, body: Buffer.concat([body, Buffer.from(' ')]) })),
      ),
    () => wrong('another id', ['svix-id', `${id}x`, 'svix-timestamp', at, 'svix-signature', good]),
    () => wrong('no signature', ['svix-id', id, 'svix-timestamp', at]),
    () => wrong('no timestamp', ['svix-id', id, 'svix-signature', good]),
    () => wrong('no id', ['svix-timestamp', at, 'svix-signature', good]),
    () => wrong('nothing', []),
    () => wrong('an empty signature', three('')),
    () => wrong('only its version', three('v1,')),
    () => wrong('another version', three(good.replace('v1', 'v2'))),
    () => wrong('no version', three(good.slice(3))),
    () => wrong('a signature cut off', three(good.slice(0, -4))),
    () => wrong('stale', signedAt(String(now - 3600))),
    () => wrong('from the future', signedAt(String(now + 3600))),
    () => wrong('in milliseconds', signedAt(`${now}000`)),
    () => wrong('no number', signedAt('x')),
    () => wrong('an endless number', signedAt('1e999')),
    () => wrong('wrong beside right', [...three('v1,AAAA'), ...three(good, at, 'webhook')]),
    () => wrong('thousands', three('v1,AAAA '.repeat(800))),
    () => ({ secret: 'odd', headers: [...three(good), 'svix-signature', good], trick: 'signed twice' }),
  ])();
}

export function idpDelivery(
  random: SeededRandom,
  { installation }: WebhookFixture,
  { number, mark }: { number: number; mark: string },
): Delivery {
  const event = rewrite(random.pick(events), { text: mark, numberOf: (id) => id }) as object;
  const isMutated = random.chance(0.8);
  const [trick, apply] = isMutated ? random.pick(jsonTricks) : (['as it comes', plain] as const);
  const enveloped = envelope(random, apply(random, ownPeople(random, event)), 'application/json');
  const signed = signEvent(random, enveloped.body, installation.idpWebhookSecret);
  return {
    number,
    source: 'idp',
    method: random.chance(0.99) ? 'POST' : 'PUT',
    body: enveloped.body,
    path: random.chance(0.99) ? '/webhooks/idp' : '/webhooks/idp/x',
    secret: signed.secret,
    headers: [...enveloped.headers, ...signed.headers],
    ...(enveloped.isCutOff ? { isCutOff: true } : {}),
    trick: [trick, enveloped.trick, signed.trick].filter(Boolean).join(', '),
  };
}

const plain = (_dice: SeededRandom, value: object): Buffer => Buffer.from(JSON.stringify(value));

/** Assigns an event to one of a few people and organizations, so that several events concern the same one. */
function ownPeople(random: SeededRandom, event: object): object {
  const digits = String(random.below(50)).padStart(4, '0');
  return JSON.parse(
    JSON.stringify(event).replace(/\b(user|org|orgmem)_2\w+/g, (id) => `${id}${digits}`),
  ) as object;
}
