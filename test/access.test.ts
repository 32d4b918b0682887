import { randomInt, randomUUID } from 'node:crypto';
import { routers } from '@botyard/contracts/http/catalogue';
import type { Identity } from '@botyard/contracts/identity';
import { type Answer, user } from '@botyard/testing/test-call';
import { whileBusy } from '@botyard/testing/while-busy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oneOf, type Random, seeded } from './faults/rig/random.ts';
import {
  type AccessFixture,
  openAccessFixture,
  pathWords,
  type Resources,
} from './support/access-fixture.ts';
import { type Cell, cellsOf, expected, statusesOf } from './support/access-rules.ts';

import { drawsSample } from './tiers.ts';

const seed = Number(process.env.BOTYARD_ACCESS_SEED ?? randomInt(2 ** 31));
const everyCell = cellsOf(routers);
const cells = drawsSample ? oneTargetEach(everyCell, seeded(seed)) : everyCell;
const random = seeded(seed + 1);
/** The gateway's grammar accepts them. */
const malformedIds = ['no-uuid', '-', '...', '~', '0', 'null', 'a'.repeat(300), `${randomUUID()}0`];
const atOnce = 8;
let fixture: AccessFixture;
let answers: ReadonlyMap<Cell, Answer>;
let askedAgain = 0;
let chosen: Awaited<ReturnType<typeof chooseTenants>>;

beforeAll(async () => {
  fixture = await openAccessFixture();
  chosen = await chooseTenants();
  answers = await walk();
}, 600_000);
afterAll(() => fixture?.close());

/** One random target for each route and caller. Admins keep their own, so that the walk finds and changes something. */
function oneTargetEach(all: readonly Cell[], random: Random): Cell[] {
  const ofSameCaller = Map.groupBy(
    all,
    ({ router, name, caller }) => `${router.basePath} ${name}, ${caller}`,
  );
  const drawn = new Set([...ofSameCaller.values()].map((targets) => oneOf(random, targets)));
  return all.filter((cell) => drawn.has(cell) || (cell.caller === 'admin' && cell.target === 'own'));
}

/**
 * Runs several requests concurrently. Deletions start when everything else is answered, and whole tenants are deleted
 * last, one by one.
 */
async function walk(): Promise<Map<Cell, Answer>> {
  const answersByCell = new Map<Cell, Answer>();
  const isDelete = ({ route }: Cell) => route.method === 'delete';
  const isLast = ({ name }: Cell) => name === 'deleteTenant';
  const phases = [
    { phase: cells.filter((cell) => !isDelete(cell)), workers: atOnce },
    { phase: cells.filter((cell) => isDelete(cell) && !isLast(cell)), workers: atOnce },
    { phase: cells.filter(isLast), workers: 1 },
  ];
  for (const { phase, workers } of phases) {
    const waiting = phase.values();
    const work = async () => {
      for (const cell of waiting) answersByCell.set(cell, await decide(cell));
    };
    await Promise.all(Array.from({ length: workers }, work));
  }
  return answersByCell;
}

const decide = (cell: Cell): Promise<Answer> =>
  whileBusy(
    () => callCell(cell),
    () => {
      askedAgain += 1;
    },
  );

function callCell(cell: Cell): Promise<Answer> {
  const { router, route, caller } = cell;
  const service = fixture.services[router.service];
  if (!service)
    throw new Error(`the service ${router.service} isn't part of this test: start it in access-fixture.ts`);
  const [tenantId, path] = [resourcesOf(cell).tenantId, pathOf(cell)];
  const query = route.access === 'anyAdmin' ? `?tenantId=${tenantId}` : '';
  return service.call(route.method.toUpperCase(), `${path}${query}`, {
    as: fixture.callers[caller],
    ...(route.body ? bodyOf(cell) : {}),
  });
}

/**
 * Broken JSON for everything that isn't the caller's own: what doesn't exist is 404 whatever the body. A tenant in a body
 * never grants authority. Routes whose body selects the tenant have a separate test.
 */
function bodyOf({ name, target }: Cell): { body?: object; rawBody?: string } {
  if (name === 'selectTenant') return {};
  if (target !== 'own') return { rawBody: '{' };
  return { body: { ...wellFormed[name], tenantId: fixture.other.tenantId } };
}

/** Bodies that let the walk change something. */
const wellFormed: Readonly<Record<string, object>> = {
  changeMember: { role: 'member' },
  updatePolicy: { description: 'Looked at' },
  updateAgentStatus: { enabled: true },
  tryAgent: { messages: [{ role: 'user', text: 'Hello' }] },
  setAllowance: { monthlyTokens: 1_000_000 },
  setLimits: { bots: 1000 },
  setPersonLimits: { tenants: 1000 },
  createAppBinding: { botId: randomUUID() },
  updateAppDraft: { spec: {} },
  rollbackApp: { version: 1 },
  createAppRecord: { type: 'x', fields: {} },
  updateAppRecord: { fields: {} },
  writeMessage: { text: 'Hello' },
  // A draft that went live would be missing in other cells.
  makeAgentDraftLive: { note: '' },
  // It would remove resources that other cells need.
  executeSpecRoutes: { limit: 0 },
};

function resourcesOf({ router, target }: Cell): Resources {
  const ofPlatform = router.basePath === '/api/bots/superadmin';
  const allOf = (id: () => string) =>
    Object.fromEntries(Object.keys(fixture.own).map((name) => [name, id()]));
  const missing = allOf(randomUUID);
  const malformed = allOf(() => oneOf(random, malformedIds));
  switch (target) {
    case 'own':
      return ofPlatform ? fixture.platform : fixture.own;
    case 'other':
      return fixture.other;
    case 'missing':
      return missing;
    case 'malformed':
      return malformed;
    case 'misspelt':
      return { ...malformed, tenantId: fixture.own.tenantId ?? '' };
    case 'crossed':
      return { ...fixture.other, tenantId: fixture.own.tenantId ?? '' };
    case 'absent':
      return { ...missing, tenantId: fixture.own.tenantId ?? '' };
  }
}

function pathOf(cell: Cell): string {
  const { router, route } = cell;
  const named = resourcesOf(cell);
  // Anybody may copy what is published, and the walk publishes what it finds.
  const copied = cell.name.startsWith('copy') ? { id: named.unpublishedId } : {};
  const sent = route.path.startsWith('/undelivered/') ? { messageId: named.replyId } : {};
  const resources = { ...named, ...copied, ...sent, ...pathWords } as Resources;
  const path = route.path === '/' ? '' : route.path;
  return `${router.basePath}${path}`.replace(/:(\w+)/g, (_all, name: string) => {
    const value = resources[name];
    if (!value) throw new Error(`this test has no ${name}: make one in access-fixture.ts`);
    return value;
  });
}

const describeCell = ({ router, name, caller, target }: Cell): string =>
  `${router.basePath} ${name}, ${caller}, ${target}`;

test('I-01: every route answers every caller, for every target, according to its access level', () => {
  const faults = cells.flatMap((cell) => {
    const { status = 0, text } = answers.get(cell) ?? {};
    const verdict = expected(cell);
    const isDue = statusesOf[verdict].includes(status) || isGone(cell, status);
    return isDue ? [] : [`${describeCell(cell)}: ${verdict} is due, came ${status} ${text?.slice(0, 200)}`];
  });
  process.stdout.write(
    `access: ${cells.length} of ${everyCell.length} cells${drawsSample ? `, BOTYARD_ACCESS_SEED=${seed}` : ''}, ${cells.filter(({ caller }) => caller === 'removed admin').length} of them of a removed admin, ${faults.length} leaking or refusing wrongly, ${askedAgain} times asked again\n`,
  );
  expect(faults).toEqual([]);
});

/** The second deletion finds nothing, which is no question of access. */
const isGone = ({ route }: Cell, status: number): boolean => route.method === 'delete' && status === 404;

test('the walk has found and changed existing things, so that a refusal is meaningful', () => {
  const done = cells
    .filter((cell) => cell.caller === 'admin' && cell.target === 'own' && expected(cell) === 'allowed')
    .map((cell) => ({
      method: cell.route.method,
      status: answers.get(cell)?.status,
      cell: describeCell(cell),
    }));
  expect(done.filter(({ method, status }) => method === 'get' && status !== 200)).toEqual([]);
  const deleted = cells.filter((cell) => cell.route.method === 'delete' && answers.get(cell)?.status === 204);
  const deleting = cells.filter((cell) => cell.route.method === 'delete' && expected(cell) === 'allowed');
  expect(new Set(deleted.map(({ name }) => name))).toEqual(new Set(deleting.map(({ name }) => name)));
});

test('I-01: a refusal looks the same for a tenant of others and for one that does not exist', () => {
  const faults = differing(({ caller }, status) => status === 403 && caller !== 'operator');
  expect(faults).toEqual([]);
});

test('a resource of another tenant looks the same as one that does not exist', () => {
  const faults = differing(
    ({ target }, status) => status === 404 && (target === 'crossed' || target === 'absent'),
  );
  expect(faults).toEqual([]);
});

test('G-15: no response to an outsider shows a name, a resource or an internal word', () => {
  const words = [
    ...Object.values(fixture.own),
    ...Object.values(fixture.other),
    'Acme',
    'select ',
    'tenancy.',
    ' at ',
  ];
  const leaks = cells.filter((cell) => {
    const { status = 0, text = '' } = answers.get(cell) ?? {};
    return (
      status >= 400 &&
      status !== 409 &&
      words.filter((word) => word !== 'openai').some((word) => text.includes(word))
    );
  });
  expect(leaks.map(describeCell)).toEqual([]);
});

test('the active tenant can be chosen among those that the caller reaches, and no other, whether it exists or not', () => {
  expect(chosen.statuses).toEqual({
    'no identity': [401, 401, 401],
    anonymous: [401, 401, 401],
    stranger: [403, 403, 403],
    member: [200, 403, 403],
    responder: [403, 403, 403],
    admin: [200, 403, 403],
    'removed admin': [403, 403, 403],
    'admin of another tenant': [403, 200, 403],
    operator: [200, 200, 403],
  });
  expect(chosen.foreign).toBe(chosen.absent);
});

/** Every caller chooses the own, another and a missing tenant, in a session that no other cell acts in. */
async function chooseTenants() {
  const { services, callers, own, other } = fixture;
  const missing = randomUUID();
  const select = async (identity: Identity | null, tenantId: string | undefined) => {
    const as = identity && 'idpUserId' in identity ? { ...identity, sessionId: randomUUID() } : identity;
    return await services.tenancy?.call('POST', '/api/tenant/select', { as, body: { tenantId } });
  };
  const statuses: Record<string, (number | undefined)[]> = {};
  for (const [caller, identity] of Object.entries(callers)) {
    const statusesOfTenants = [];
    for (const tenantId of [own.tenantId, other.tenantId, missing])
      statusesOfTenants.push((await select(identity, tenantId))?.status);
    statuses[caller] = statusesOfTenants;
  }
  const foreign = (await select(callers.stranger, other.tenantId))?.text;
  return { statuses, foreign, absent: (await select(callers.stranger, missing))?.text };
}

test('a session that chose one tenant can choose another', async () => {
  const as = user(`user_${randomUUID()}`);
  const tenancy = fixture.services.tenancy;
  const create = async () =>
    (await tenancy?.call('POST', '/api/bots/tenants', { as, body: { name: 'Mine' } }))?.body;
  for (const { tenantId } of [await create(), await create()] as { tenantId: string }[]) {
    const answer = await tenancy?.call('POST', '/api/tenant/select', { as, body: { tenantId } });
    expect(answer?.status).toBe(200);
    expect((await tenancy?.call('GET', '/api/current-user', { as }))?.body.activeTenantId).toBe(tenantId);
  }
});

/** Cells of the same route and caller whose bodies differ although they should not. */
function differing(isMeant: (cell: Cell, status: number) => boolean): string[] {
  const texts = new Map<string, Set<string>>();
  for (const [cell, { status, text }] of answers) {
    if (!isMeant(cell, status)) continue;
    const key = `${cell.router.basePath} ${cell.name}, ${cell.caller}`;
    texts.set(key, (texts.get(key) ?? new Set()).add(text));
  }
  return [...texts]
    .filter(([, different]) => different.size > 1)
    .map(([key, different]) => `${key}: ${[...different].join(' / ')}`);
}
