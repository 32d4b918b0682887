import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '../../seeded-random.ts';
import type { Delivery } from '../delivery.ts';
import type { MessengerBot, WebhookFixture } from '../fixture.ts';
import { envelope } from './envelope.ts';
import { jsonTricks } from './json-tricks.ts';
import { rewrite, updates } from './samples.ts';

const neutral = 'x-messenger-bot-api-secret-token';
const real = 'x-telegram-bot-api-secret-token';

type Shown = Pick<Delivery, 'secret' | 'trick'> & { headers: string[] };

/** Sends right and wrong variants of the secret. */
function showSecret(random: SeededRandom, bot: MessengerBot, others: readonly MessengerBot[]): Shown {
  const { secret } = bot;
  const right = (...headers: string[]): Shown => ({ secret: 'right', headers, trick: '' });
  const wrong = (trick: string, ...headers: string[]): Shown => ({ secret: 'wrong', headers, trick });
  const foreign = others.find(({ botId }) => botId !== bot.botId)?.secret ?? 'x';
  if (random.chance(0.6)) return right(random.pick([neutral, real, real.toUpperCase()]), secret);
  return random.pick([
    right(neutral, secret, real, secret),
    wrong('a wrong secret', real, `Secret_${randomUUID()}`),
    wrong('no secret'),
    wrong('an empty secret', real, ''),
    wrong('two empty secrets', real, '', neutral, ''),
    wrong("another bot's secret", real, foreign),
    wrong('right and wrong', real, secret, neutral, 'x'),
    wrong('right and empty', neutral, secret, real, ''),
    wrong('the secret doubled', real, secret, real, secret),
    wrong('a secret cut off', real, secret.slice(0, -1)),
    wrong('a secret with more', real, `${secret}x`),
    wrong('in another case', real, secret.toLowerCase()),
    wrong('quoted', real, `"${secret}"`),
    wrong('as a bearer', 'authorization', `Bearer ${secret}`),
    wrong('a long one', neutral, 's'.repeat(6000)),
    wrong('a list', real, `${secret}, x`),
  ]);
}

export function messengerDelivery(
  random: SeededRandom,
  { bots }: WebhookFixture,
  { number, mark }: { number: number; mark: string },
): Delivery {
  const bot = random.pick(bots);
  const shown = showSecret(random, bot, bots);
  const shift = random.below(2 ** 40);
  const numberOf = (id: number) => (id < 0 ? id - shift : id + shift);
  const update = rewrite(random.pick(updates), { text: mark, numberOf }) as object;
  const [trick, apply] = random.chance(0.8) ? random.pick(jsonTricks) : (['as it comes', plain] as const);
  const enveloped = envelope(random, apply(random, update), 'application/json');
  return {
    number,
    source: 'messenger',
    secret: shown.secret,
    body: enveloped.body,
    ...drawAddress(random, bot),
    headers: [...enveloped.headers, ...shown.headers],
    ...(enveloped.isCutOff ? { isCutOff: true } : {}),
    trick: [trick, enveloped.trick, shown.trick].filter(Boolean).join(', '),
  };
}

const plain = (_dice: SeededRandom, value: object): Buffer => Buffer.from(JSON.stringify(value));

/** Draws the method and path, occasionally with an unusual spelling. */
function drawAddress(random: SeededRandom, { botId }: MessengerBot): Pick<Delivery, 'method' | 'path'> {
  const post = (path: string, method = 'POST') => ({ method, path: `/webhooks/messenger${path}` });
  return random.weighted([
    [94, post(`/${botId}`)],
    [1, post(`/${botId.toUpperCase()}`)],
    [1, post(`/${botId}/`)],
    [1, post(`/${randomUUID()}`)],
    [1, post(`/${random.pick(['x', '', '0', `${botId}x`, '..', '%00', `${botId}/x`, `${botId}?x=%00`])}`)],
    [1, post(`/${botId}`, random.pick(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']))],
  ]);
}
