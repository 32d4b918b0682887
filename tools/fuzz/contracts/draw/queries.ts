import type { SeededRandom } from '../../seeded-random.ts';
import type { Pool } from '../fixture/pool.ts';
import type { Operation } from '../operations.ts';
import { chooseRef, type Wanted } from './refs.ts';
import { valuesOf } from './values.ts';

const hostile = [
  ...[
    'limit=0',
    'limit=501',
    'limit=x',
    'limit=1&limit=2',
    'limit[]=1',
    'before=x',
    'before=%00',
    'before=%ff',
  ],
  ...[
    `before=${'a'.repeat(1500)}`,
    'tenantId=x',
    'tenantId={{B.tenantId}}',
    'tenantId=a&tenantId=b',
    '__proto__=x',
  ],
  ...['botId=%F0%9F%98%80', 'from=x&to=y', 'from=-1', '&&&===', '%', 'query=%00', "query=' or 1=1 --"],
];

/** Draws a query from the route's parameters, and occasionally others. It starts with `?` unless it is empty. */
export function drawQuery(
  random: SeededRandom,
  pool: Pool,
  { query }: Operation,
  wanted: Omit<Wanted, 'kind'>,
): string {
  if (random.chance(0.05)) return `?${random.pick(hostile)}`;
  const pairs = Object.entries(query)
    .filter(() => random.chance(0.3))
    .map(([name, schema]) => {
      const isId = name.endsWith('Id') && random.chance(0.8);
      if (isId) return `${name}=${chooseRef(random, pool, { ...wanted, kind: name }).text}`;
      return `${name}=${encodeURIComponent(textOf(random, name, schema))}`;
    });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function textOf(random: SeededRandom, name: string, schema: Parameters<typeof valuesOf>[0]): string {
  if (name === 'limit') return String(random.pick([1, 2, 100, 500]));
  const value = random.draw(valuesOf(schema));
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();
}
