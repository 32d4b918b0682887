import type { Access } from '@botyard/contracts/http/contract';
import type { Dice } from '../../dice.ts';
import { type Operation, operations } from '../operations.ts';
import { type CallerName, type GroupName, groupNames, type PlannedCall } from '../planned-call.ts';
import { groupOf, kindOf } from '../world/learn.ts';
import type { Pool } from '../world/pool.ts';
import { drawBody } from './bodies.ts';
import { drawQuery } from './queries.ts';
import { chooseRef } from './refs.ts';
import { rawBody, spoil } from './spoil.ts';

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
export function drawCall(dice: Dice, pool: Pool, place: { number: number; batch: number }): PlannedCall {
  const operation = dice.weighted(weighed);
  const caller = drawCaller(dice, operation);
  const group = groupOf(caller) ?? dice.pick(groupNames);
  const target = dice.chance(0.9) ? group : dice.pick(groupNames);
  const writing = { group: target, isWriting: operation.route.method !== 'get', number: place.number };
  const chosen = operation.params.map((param) =>
    chooseRef(dice, pool, { ...writing, kind: kindOf(operation.path, param) }),
  );
  const path = operation.params.reduce(
    (text, param, index) => text.replace(`:${param}`, chosen[index]?.text ?? ''),
    operation.path,
  );
  return {
    ...place,
    ...{ route: operation.name, caller, method: operation.route.method.toUpperCase(), path },
    pathRefs: chosen.map(({ key }) => key ?? ''),
    query: drawQuery(dice, pool, operation, writing),
    ...drawContent(dice, pool, operation, { ...writing, author: groupOf(caller) ?? 'X' }),
    ...(caller === 'nobody' ? drawNoToken(dice) : {}),
  };
}

function drawCaller(dice: Dice, { name, route }: Operation): CallerName {
  const group: GroupName = dice.pick(groupNames);
  const isForOperators = route.access === 'operator';
  const caller = dice.weighted<CallerName>([
    [isForOperators ? 8 : 66, `${group}.admin`],
    [isForOperators ? 4 : 12, `${group}.member`],
    [6, 'stranger'],
    [isForOperators ? 40 : 6, 'operator'],
    [publicShare(route.access), 'nobody'],
  ]);
  return caller === 'stranger' && notForStrangers.has(name) ? `${group}.admin` : caller;
}

const publicShare = (access: Access): number => (access === 'public' ? 40 : 8);

type Content = Pick<PlannedCall, 'body' | 'rawBody' | 'contentType'>;

function drawContent(
  dice: Dice,
  pool: Pool,
  operation: Operation,
  writing: Parameters<typeof drawBody>[3],
): Content {
  if (operation.body === null) return {};
  if (operation.body === 'binary')
    return {
      rawBody: `zq ${dice.digits(40)}`,
      contentType: dice.pick(['text/plain', 'application/pdf', 'x']),
    };
  const body = drawBody(dice, pool, operation, writing);
  return dice.weighted<() => Content>([
    [8, () => ({ body })],
    [2, () => ({ body: spoil(dice, body) })],
    [0.4, () => rawBody(dice, body)],
  ])();
}

/** Draws a missing or invalid token. */
const drawNoToken = (dice: Dice): { authorization?: string } =>
  dice.weighted([
    [4, {}],
    [1, { authorization: '' }],
    [1, { authorization: 'Bearer ' }],
    [1, { authorization: `Bearer ${dice.digits(200)}` }],
    [1, { authorization: 'Basic YWRtaW46YWRtaW4=' }],
    [1, { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyX2RldiJ9.' }],
  ]);
