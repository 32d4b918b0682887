import type { Access } from '@botyard/contracts/http/contract';
import type { SeededRandom } from '../../seeded-random.ts';
import { groupOf, kindOf } from '../fixture/learn.ts';
import type { Pool } from '../fixture/pool.ts';
import { type Operation, operations } from '../operations.ts';
import { type CallerName, type GroupName, groupNames, type PlannedCall } from '../planned-call.ts';
import { drawBody } from './bodies.ts';
import { corruptBody, rawBody } from './corrupt-body.ts';
import { drawQuery } from './queries.ts';
import { chooseRef } from './refs.ts';

/** Excluded, because it ends the process that handles the other calls. `npm run faults -- f-28` covers it. */
const leftOut = new Set(['restartSystemService']);
/** Strangers must not create tenants, because they would then no longer be strangers. */
const notForStrangers = new Set(['createTenant']);
const drawable = operations.filter(({ name }) => !leftOut.has(name));
const weights: Readonly<Record<string, number>> = { get: 1, post: 2, put: 1.5, patch: 1, delete: 0.5 };
const weighed = drawable.map((operation) => [weightOf(operation), operation] as const);

/** Returns the weight of an operation. Creations enable later calls. Publishing is rare, because it exposes data. */
function weightOf({ name, route }: Operation): number {
  if (/^publish\w+Definition$/.test(name)) return 0.1;
  return route.status === 201 ? 4 : (weights[route.method] ?? 1);
}

/** Draws the next call from the resources that exist now. */
export function drawCall(
  random: SeededRandom,
  pool: Pool,
  place: { number: number; batch: number },
): PlannedCall {
  const operation = random.weighted(weighed);
  const caller = drawCaller(random, operation);
  const group = groupOf(caller) ?? random.pick(groupNames);
  const target = random.chance(0.9) ? group : random.pick(groupNames);
  const writing = { group: target, isWriting: operation.route.method !== 'get', number: place.number };
  const chosen = operation.params.map((param) =>
    chooseRef(random, pool, { ...writing, kind: kindOf(operation.path, param) }),
  );
  const path = operation.params.reduce(
    (text, param, index) => text.replace(`:${param}`, chosen[index]?.text ?? ''),
    operation.path,
  );
  return {
    ...place,
    route: operation.name,
    caller,
    method: operation.route.method.toUpperCase(),
    path,
    pathRefs: chosen.map(({ key }) => key ?? ''),
    query: drawQuery(random, pool, operation, writing),
    ...drawContent(random, pool, operation, { ...writing, author: groupOf(caller) ?? 'X' }),
    ...(caller === 'anonymous' ? drawNoToken(random) : {}),
  };
}

function drawCaller(random: SeededRandom, { name, route }: Operation): CallerName {
  const group: GroupName = random.pick(groupNames);
  const isForOperators = route.access === 'operator';
  const caller = random.weighted<CallerName>([
    [isForOperators ? 8 : 66, `${group}.admin`],
    [isForOperators ? 4 : 12, `${group}.member`],
    [6, 'stranger'],
    [isForOperators ? 40 : 6, 'operator'],
    [publicShare(route.access), 'anonymous'],
  ]);
  return caller === 'stranger' && notForStrangers.has(name) ? `${group}.admin` : caller;
}

const publicShare = (access: Access): number => (access === 'public' ? 40 : 8);

type Content = Pick<PlannedCall, 'body' | 'rawBody' | 'contentType'>;

function drawContent(
  random: SeededRandom,
  pool: Pool,
  operation: Operation,
  writing: Parameters<typeof drawBody>[3],
): Content {
  if (operation.body === null) return {};
  if (operation.body === 'binary')
    return {
      rawBody: `zq ${random.digits(40)}`,
      contentType: random.pick(['text/plain', 'application/pdf', 'x']),
    };
  const body = drawBody(random, pool, operation, writing);
  return random.weighted<() => Content>([
    [8, () => ({ body })],
    [2, () => ({ body: corruptBody(random, body) })],
    [0.4, () => rawBody(random, body)],
  ])();
}

/** Draws a missing or invalid token. */
const drawNoToken = (random: SeededRandom): { authorization?: string } =>
  random.weighted([
    [4, {}],
    [1, { authorization: '' }],
    [1, { authorization: 'Bearer ' }],
    [1, { authorization: `Bearer ${random.digits(200)}` }],
    [1, { authorization: 'Basic YWRtaW46YWRtaW4=' }],
    [1, { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyX2RldiJ9.' }],
  ]);
