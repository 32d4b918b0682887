import { randomUUID } from 'node:crypto';
import { ErrorBody } from '@botyard/contracts/http/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type AccessFixture, openAccessFixture, type Resources } from './support/access-fixture.ts';
import {
  allRoutes,
  callRoute,
  forAll,
  isOfPlatform,
  type NamedRoute,
  pathOf,
  rightBody,
} from './support/route-calls.ts';

let fixture: AccessFixture;
beforeAll(async () => {
  fixture = await openAccessFixture();
  // Tenants that are made on the way would leave the admin without one that acts by itself.
  const { tenancy } = fixture.services;
  await tenancy?.call('POST', '/api/tenant/select', {
    as: fixture.callers.admin,
    body: { tenantId: fixture.own.tenantId },
  });
}, 240_000);
afterAll(() => fixture?.close());

const writing = allRoutes.filter(({ route }) => route.body !== null);
const making = writing.filter(({ route }) => route.status === 201);

const callerOf = (named: NamedRoute) =>
  isOfPlatform(named) || named.route.access === 'operator' ? fixture.callers.operator : fixture.callers.admin;
const resourcesOf = (named: NamedRoute): Resources => (isOfPlatform(named) ? fixture.platform : fixture.own);

const hostileValues: readonly unknown[] = [
  ...['', ' ', '\0', 'a\0b', '\u202Egnp.exe', '\uD800', '\uFFFF', '😀'.repeat(300), 'x'.repeat(10_000)],
  ...["'; drop table tenancy.tenants; --", '<script>alert(1)</script>', '%s%n', '../../etc/passwd'],
  ...['__proto__', 'constructor', 'superadmin', 'tenants', 'available-agents', 'bots', 'null', '-1'],
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    [],
    [[]],
    [null],
    ['x', 'x'],
    {},
    { toString: 'x' },
    [{}],
  ],
];

/** A tenant's or a person's words in an error body would echo the request: only our own may occur. */
const internalWords = [
  /select /,
  /insert /,
  /tenancy\./,
  / at (?!most |least )/,
  /node:/,
  /violates/,
  /Error:/,
];

function faultOf(status: number, text: string): string | undefined {
  if (status >= 500) return `came ${status} ${text.slice(0, 200)}`;
  if (status < 400) return undefined;
  const { success, data, error: fault } = ErrorBody.safeParse(JSON.parse(text));
  if (!success) return `no body of an error: ${fault.message}: ${text.slice(0, 200)}`;
  const { error, issues = [] } = data;
  if (issues.length > 50) return `${issues.length} issues`;
  const word = internalWords.find((one) => one.test(error));
  return word && `an internal word, ${word}: ${error}`;
}

test('G-15: no value of any field of any body is a fault of ours', async () => {
  const cases = writing.flatMap((named) => {
    const shape = named.route.body instanceof z.ZodObject ? Object.keys(named.route.body.shape) : [];
    return shape.flatMap((field) => hostileValues.map((value) => ({ named, field, value })));
  });
  const faults: string[] = [];
  await forAll(cases, async ({ named, field, value }) => {
    const body = { ...rightBody(fixture, named), [field]: value };
    const path = pathOf(named, resourcesOf(named));
    const { status, text } = await callRoute(fixture, named, { as: callerOf(named), path, body });
    const fault = faultOf(status, text);
    if (fault) faults.push(`${named.name} ${field}=${JSON.stringify(value)?.slice(0, 40)}: ${fault}`);
  });
  process.stdout.write(`hostile values: ${cases.length} bodies, ${faults.length} faults\n`);
  expect(faults.slice(0, 10)).toEqual([]);
}, 600_000);

const rawBodies = [
  ...['', ' ', '{', '[]', '"x"', '1', 'null', 'true', '{"a":1}{"b":2}', '\uFEFF{}', "{'a':1}", '{"a":NaN}'],
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  '{"__proto__":{"isOperator":true,"role":"admin"},"constructor":{"prototype":{"tenantId":"x"}}}',
  '{"name":"a","name":"b"}',
  '{"name":"\\ud800"}',
  `{"name":"${'x'.repeat(11 * 1024 * 1024)}"}`,
];

test('G-15: no body is answered with a server error, for any bytes', async () => {
  const faults: string[] = [];
  const cases = writing.flatMap((named) => rawBodies.map((rawBody) => ({ named, rawBody })));
  await forAll(cases, async ({ named, rawBody }) => {
    const path = pathOf(named, resourcesOf(named));
    const { status, text } = await callRoute(fixture, named, { as: callerOf(named), path, rawBody });
    const fault = faultOf(status, text);
    if (fault) faults.push(`${named.name} ${rawBody.slice(0, 30)}: ${fault}`);
  });
  expect(faults.slice(0, 10)).toEqual([]);
}, 600_000);

const queries = [
  'limit=0',
  'limit=501',
  'limit=x',
  'limit=1&limit=2',
  'limit[]=1',
  'before=x',
  'before=%00',
  'before=%ff',
  `before=${'a'.repeat(1500)}`,
  'tenantId=x',
  'tenantId=a&tenantId=b',
  '__proto__=x',
  'botId=%F0%9F%98%80',
  'from=x&to=y',
  '&&&===',
  '%',
];

test('G-15: no query of any route is a fault of ours', async () => {
  const faults: string[] = [];
  const cases = allRoutes
    .filter(({ route }) => route.method === 'get')
    .flatMap((named) => queries.map((query) => ({ named, query })));
  await forAll(cases, async ({ named, query }) => {
    const path = `${pathOf(named, resourcesOf(named))}?${query}`;
    const { status, text } = await callRoute(fixture, named, { as: callerOf(named), path });
    const fault = faultOf(status, text);
    if (fault) faults.push(`${named.name} ?${query}: ${fault}`);
  });
  expect(faults.slice(0, 10)).toEqual([]);
}, 600_000);

const hostileParameters = [
  ...[
    '',
    '%00',
    'a%00b',
    '%ff',
    '%ED%A0%80',
    '%F0%9F%98%80',
    '%25',
    "'",
    '-1',
    '0',
    '1e9',
    '9007199254740993',
  ],
  ...['0000-01-01', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '__proto__', 'x'.repeat(1500)],
];

test('G-15: no value of any parameter of any query is a fault of ours', async () => {
  const faults: string[] = [];
  const cases = allRoutes
    .filter(({ route }) => route.method === 'get')
    .flatMap((named) => {
      const { query } = named.route;
      const names = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
      return names.map((name) => ({ named, name }));
    })
    .flatMap((parameter) => hostileParameters.map((value) => ({ ...parameter, value })));
  await forAll(cases, async ({ named, name, value }) => {
    const path = `${pathOf(named, resourcesOf(named))}?${name}=${value}`;
    const { status, text } = await callRoute(fixture, named, { as: callerOf(named), path });
    const fault = faultOf(status, text);
    if (fault) faults.push(`${named.name} ?${name}=${value.slice(0, 40)}: ${fault}`);
  });
  process.stdout.write(`hostile parameters: ${cases.length} queries, ${faults.length} faults\n`);
  expect(faults.slice(0, 10)).toEqual([]);
}, 600_000);

/** Fields that would be authority, or are the server's to say. */
const ofTheServer = () => ({
  tenantId: fixture.other.tenantId,
  isOperator: true,
  isPlatform: true,
  revision: 99,
  origin: 'migration',
  createdAt: '1999-01-01T00:00:00.000Z',
  updatedAt: '1999-01-01T00:00:00.000Z',
  createdBy: randomUUID(),
  registration: { state: 'registered' },
  status: 'valid',
  source: 'idp',
  keyId: randomUUID(),
  id: randomUUID(),
  botId: randomUUID(),
  integrationId: randomUUID(),
  edgeId: randomUUID(),
  policyId: randomUUID(),
  muteId: randomUUID(),
  grantId: randomUUID(),
  idpUserId: 'user_forged',
  email: 'forged@example.com',
});

/**
 * Identifiers of the resource and its parents are ignored; every other field that a contract doesn't have is refused.
 */
const identifiers = ['id', 'tenantId', 'botId', 'integrationId', 'keyId', 'agentId', 'userId'];

const namedFields = (issues: { path: string; message: string }[] = []): string[] =>
  issues
    .filter(({ message }) => message.startsWith('unrecognized field'))
    .map(({ path }) => path)
    .sort();

test("I-06: a client can't set the fields that the server gives to a new resource", async () => {
  const faults: string[] = [];
  await allowAllTools();
  await liftLimits();
  for (const named of making) {
    const right = rightBody(fixture, named);
    if (!right) {
      faults.push(`${named.name} has no right body in support/bodies.ts`);
      continue;
    }
    const shape = named.route.body instanceof z.ZodObject ? named.route.body.shape : {};
    const forged = Object.entries(ofTheServer()).filter(([field]) => !(field in shape));
    const path = pathOf(named, await parentOf(named));
    const isIgnored = ([field]: readonly [string, unknown]) => identifiers.includes(field);
    const refusal = await callRoute(fixture, named, {
      as: callerOf(named),
      path,
      body: { ...Object.fromEntries(forged), ...right },
    });
    const refused = forged.filter((entry) => !isIgnored(entry)).map(([field]) => field);
    const named400 = refusal.status === 400 ? namedFields(refusal.body?.issues) : [];
    if (named400.join() !== refused.toSorted().join())
      faults.push(`${named.name} answered ${refusal.status} ${refusal.text.slice(0, 200)}`);
    const ignored = forged.filter(isIgnored);
    const body = { ...Object.fromEntries(ignored), ...right };
    const answer = await callRoute(fixture, named, { as: callerOf(named), path, body });
    if (answer.status !== 201)
      faults.push(`${named.name} answered ${answer.status} ${answer.text.slice(0, 200)}`);
    for (const [field, value] of ignored) {
      if (JSON.stringify(answer.body?.[field]) === JSON.stringify(value))
        faults.push(`${named.name} took ${field}`);
    }
  }
  expect(faults.slice(0, 10)).toEqual([]);
});

/** Earlier settings may have left no tools. */
async function allowAllTools(): Promise<void> {
  const as = fixture.callers.operator;
  const path = '/api/admin/integrations';
  const set = (more: string, body: object) =>
    fixture.services.agents?.call('PUT', `${path}${more}`, { as, body });
  await set('/toolkits', { toolkits: null });
  await set(`/tenants/${fixture.own.tenantId}`, { enabled: true, toolkits: null });
}

/** Earlier requests may have used up the limits. */
async function liftLimits(): Promise<void> {
  const { tenancy } = fixture.services;
  const { admin, operator: as } = fixture.callers;
  const body = { bots: 1e6, edges: 1e6, groups: 1e6, mailBytes: null, documentBytes: null };
  const { userId } = (await tenancy?.call('GET', '/api/current-user', { as: admin }))?.body ?? {};
  const path = '/api/bots/superadmin';
  await tenancy?.call('PUT', `${path}/tenants/${fixture.own.tenantId}/limits`, { as, body });
  await tenancy?.call('PUT', `${path}/users/${userId}/limits`, { as, body: { tenants: 1e6 } });
}

/**
 * A bot has one integration of a type, an app one binding to a place, and a tenant one quota: a new one needs a new one
 * of those.
 */
async function parentOf(named: NamedRoute): Promise<Resources> {
  const resources = resourcesOf(named);
  const maker = {
    createIntegration: 'createBot',
    createPlatformIntegration: 'createPlatformBot',
    initializeQuota: 'createTenant',
    createAppBinding: 'createApp',
  }[named.name];
  const createBot = allRoutes.find(({ name }) => name === maker);
  if (!createBot) return resources;
  const { body } = await callRoute(fixture, createBot, {
    as: callerOf(createBot),
    path: pathOf(createBot, resources),
    body: { name: 'New' },
  });
  const { appId, botId, tenantId } = body;
  return { ...resources, ...(appId ? { appId } : botId ? { botId } : { tenantId }) };
}
