import { events, requests } from '@botyard/contracts/events/catalogue';
import { findApiToken } from '@botyard/contracts/events/tenancy';
import { routers } from '@botyard/contracts/http/catalogue';
import type { AnyRoute, Router } from '@botyard/contracts/http/contract';
import { EventStream } from '@botyard/contracts/http/event-stream';
import { Upload } from '@botyard/contracts/http/upload';
import { createIdentityVerifier, generateIdentityKeys } from '@botyard/shared/auth/identity';
import { eventually } from '@botyard/testing/eventually';
import { type ServiceProcess, startServiceProcess } from '@botyard/testing/service-process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upstreamNames } from '../../services/gateway/src/domain/routing-table.ts';
import { exampleOf } from '../../tools/generate/examples.ts';
import { type BusServer, openBusServer } from './support/bus-server.ts';
import { contractsOf } from './support/check-contracts.ts';
import { checkSystem } from './support/check-system.ts';
import { refusalOf } from './support/fake-services.ts';
import { FakeUpstream } from './support/fake-upstream.ts';

/**
 * The gateway has no database, and says and asks nothing over the bus: its neighbours are at the ends of HTTP.
 */
let server: BusServer;
let gateway: ServiceProcess;
let origin: string;
let verifyKey: string;
const upstreams = new Map<string, FakeUpstream>();

beforeAll(async () => {
  server = await openBusServer();
  const keys = await generateIdentityKeys();
  verifyKey = keys.verifyKey;
  for (const name of upstreamNames) upstreams.set(name, await FakeUpstream.open());
  gateway = await startServiceProcess('gateway', {
    ...server.envOf('gateway'),
    NODE_ENV: 'test',
    AUTH_DEV_MODE: 'true',
    PORT: '0',
    IDENTITY_SIGNING_KEY: keys.signingKey,
    ...Object.fromEntries([...upstreams].map(([name, { url }]) => [`${name.toUpperCase()}_URL`, url])),
  });
  const port = await eventually('the gateway is open', () =>
    gateway.logLines.map((line) => /"port":(\d+).*"msg":"open to the public"/.exec(line)?.[1]).find(Boolean),
  );
  origin = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await gateway?.stop();
  for (const upstream of upstreams.values()) await upstream.close();
  await server?.close();
});

const someId = '01920000-0000-7000-8000-000000000001';
const pathOf = ({ basePath }: Router, { path }: AnyRoute): string =>
  `${basePath}${path.replace(/:\w+/g, someId)}`.replace(/\/$/, '');

const routes = (routers as readonly Router[])
  .filter(({ service }) => service !== 'gateway')
  .flatMap((router) =>
    Object.values(router.routes).map((route) => {
      const name = `${route.method.toUpperCase()} ${pathOf(router, route)}`;
      return [name, router, route] as const;
    }),
  );

/** A file is its bytes. */
function bodyOf({ body }: AnyRoute, path: string): RequestInit {
  if (!body) return {};
  if (body === Upload) return { headers: { 'content-type': 'text/plain' }, body: 'a file' };
  const text = JSON.stringify(exampleOf(body, 'input', path));
  return { headers: { 'content-type': 'application/json' }, body: text };
}

const call = (route: AnyRoute, path: string): Promise<Response> =>
  fetch(origin + path, { method: route.method.toUpperCase(), redirect: 'manual', ...bodyOf(route, path) });

describe("each route's example reaches its service, and the response returns", () => {
  test.each(routes)('%s', async (name, router, route) => {
    const upstream = upstreams.get(router.service)!;
    const hasExample = route.response && route.response !== EventStream;
    const example = hasExample ? exampleOf(route.response!, 'output', name) : null;
    upstream.answer = { status: route.status, body: example };
    const path = pathOf(router, route);
    const before = upstream.heard.length;
    const sent = bodyOf(route, path);
    const answer = await call(route, path);
    expect(answer.status).toBe(route.status);
    const text = await answer.text();
    expect(text === '' ? null : JSON.parse(text)).toEqual(example);
    const [heard] = upstream.heard.slice(before);
    expect(heard).toMatchObject({ method: route.method.toUpperCase(), url: path, body: sent.body ?? '' });
    const verify = await createIdentityVerifier(verifyKey, router.service);
    expect(await verify(heard!.identity)).toMatchObject({
      kind: expect.stringMatching(/^(user|anonymous)$/),
    });
    for (const other of upstreamNames.filter((each) => each !== router.service))
      expect(await (await createIdentityVerifier(verifyKey, other))(heard!.identity)).toBeNull();
  });
});

describe('on the bus', () => {
  test('it uses nothing, and may still send one request, which only its previous release sends', () => {
    const named = Object.values(contractsOf('gateway'))
      .flat()
      .map(({ name }) => name);
    expect(named).toEqual([findApiToken.name]);
  });

  test('NATS denies it every other request, and every publication', async () => {
    const { names } = server.busAs('gateway');
    const others = requests.filter((request) => request !== findApiToken);
    const subjects = [...others.map(names.request), ...events.map((event) => names.event(event, {}))];
    for (const subject of subjects)
      expect(await refusalOf(server, 'gateway', subject), subject).toMatch(/permission/i);
  });

  checkSystem(() => server, 'gateway');
});

describe('a neighbour that is not there', () => {
  test.each(upstreamNames)('%s', async (name) => {
    await upstreams.get(name)!.close();
    const [, router, route] = routes.find(
      ([, { service }, { method }]) => service === name && method === 'get',
    )!;
    const answer = await call(route, pathOf(router, route));
    expect([502, 503]).toContain(answer.status);
    expect(await answer.json()).toEqual({ error: expect.any(String) });
  });
});
