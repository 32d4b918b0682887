import { type BodyParts, rightBodies } from '../../../../test/support/bodies.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import { canaryOf, secretCanary } from '../fixture/canary.ts';
import type { Pool } from '../fixture/pool.ts';
import type { Operation } from '../operations.ts';
import { chooseRef, type Wanted } from './refs.ts';
import { valuesOf } from './values.ts';

interface Writing extends Omit<Wanted, 'kind'> {
  number: number;
  /** The author of the texts: a group, or a person without a group. */
  author: string;
}

/** The names of fields with people's texts. */
const prose = /^(name|title|text|description|instructions|message|note|reason|subject|keywords|query)$/;
const secrets: Readonly<Record<string, (number: number, random: SeededRandom) => string>> = {
  apiKey: (number) => `sk-${secretCanary(number)}-0123456789`,
  botToken: (number, random) =>
    `${1_000_000_000 + random.below(2 ** 32)}:${secretCanary(number).padEnd(48, 'x')}`,
  webhookSecretToken: (number) => secretCanary(number),
  webhookSigningKey: (number) => secretCanary(number),
};
const idField = /^(\w+)Ids?$/;

/**
 * Returns a valid body: a known one or one drawn from the schema. Returns `undefined` if the route has no body.
 */
export function drawBody(random: SeededRandom, pool: Pool, operation: Operation, writing: Writing): unknown {
  const { name, body } = operation;
  if (body === null || body === 'binary') return undefined;
  const right = rightBodies[name];
  const isKnown = right !== undefined && random.chance(0.6);
  const drawn = isKnown ? right(partsOf(random, pool, writing)) : random.draw(valuesOf(body));
  return dress(drawn, { random, pool, writing, operation: name, isKnown });
}

/** The resources that a known body references. They are chosen on access. */
function partsOf(random: SeededRandom, pool: Pool, writing: Writing): BodyParts {
  const own = new Proxy({} as Record<string, string>, {
    get: (_target, name) =>
      chooseRef(random, pool, { ...writing, kind: name === 'id' ? 'agents/id' : String(name) }).text,
  });
  const { text: idpUserId } = chooseRef(random, pool, { ...writing, kind: 'idpUserId' });
  return { own, idpUserId, unique: canaryOf(writing.author, writing.number), botToken: '1:x' };
}

interface Dressing {
  random: SeededRandom;
  pool: Pool;
  writing: Writing;
  operation: string;
  /** True if the identifiers are already chosen. */
  isKnown: boolean;
}

/** Fills a value with identifiers of existing resources, canary secrets, and texts that identify their author. */
function dress(value: unknown, dressing: Dressing, field = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => dress(item, dressing, field));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, dress(inner, dressing, name)]),
    );
  return typeof value === 'string' ? dressText(value, dressing, field) : value;
}

function dressText(
  text: string,
  { random, pool, writing, operation, isKnown }: Dressing,
  field: string,
): string {
  const { author, number } = writing;
  const secret = Object.hasOwn(secrets, field) ? secrets[field] : undefined;
  if (secret) return secret(number, random);
  const [, thing] = idField.exec(field) ?? [];
  if (thing !== undefined && !isKnown)
    return chooseRef(random, pool, { ...writing, kind: kindOfField(thing) }).text;
  if (operation === 'createEdge' && field === 'object' && !isKnown)
    return `group:${canaryOf(author, number)}`;
  if (!prose.test(field) || /[{}]|policy/i.test(`${text}${operation}`)) return text;
  return random.chance(0.7)
    ? `${canaryOf(author, number)} ${text}`.slice(0, Math.max(text.length, 40))
    : text;
}

const kindOfField = (thing: string): string =>
  thing === 'tool' || thing === 'capability' ? `${thing.replace(/y$/, 'ie')}s/id` : `${thing}Id`;
