import { admin, anyone, defineRouter, member, operator } from '@botyard/contracts/http/contract';
import { user } from '@botyard/testing/test-call';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Caller, CallerDirectory } from '../../src/auth/caller.ts';
import { createErrorHandler, refuseUnknownPath } from '../../src/http/error-handler.ts';
import { mountRouter } from '../../src/http/mount.ts';
import { refuseOtherMethods } from '../../src/http/other-methods.ts';
import { createHttpServer, listenOn } from '../../src/http/server.ts';
import { createLog } from '../../src/log/log.ts';

const tenantId = '01920000-0000-7000-8000-000000000001';
const thingId = '01920000-0000-7000-8000-000000000002';

const router = defineRouter({
  basePath: '/api/things',
  service: 'keys',
  description: 'Things.',
  routes: {
    list: member.get('/:tenantId', { summary: 'List.', response: z.object({}) }),
    create: admin.post('/:tenantId', { summary: 'Create.' }),
    search: member.post('/:tenantId/search', { summary: 'Search.' }),
    get: member.get('/:tenantId/:thingId', { summary: 'Get.', response: z.object({}) }),
    open: anyone.post('/', { summary: 'Open.' }),
    operate: operator.post('/operators/all', { summary: 'Operate.' }),
  },
});

/** Callers named `admin` or `member` belong to the one tenant; all others are strangers to it. */
const callers: CallerDirectory = {
  resolve: async (identity) => {
    if (identity.kind !== 'user') return { isFresh: true, caller: null };
    const { idpUserId, sessionId } = identity;
    const caller: Caller = {
      userId: idpUserId,
      idpUserId,
      sessionId,
      email: null,
      isOperator: false,
      activeTenantId: null,
      roles: new Map(idpUserId === 'admin' || idpUserId === 'member' ? [[tenantId, idpUserId]] : []),
      bots: new Map(),
      policedTenantIds: new Set(),
      unvisitedTenantIds: new Set(),
      responds: new Map(),
    };
    return { isFresh: true, caller };
  },
  tenantExists: async () => true,
  decide: async () => [],
};

const app = express().set('query parser', 'simple');
const server = createHttpServer(app);
let origin: string;
beforeAll(async () => {
  const log = createLog('keys', 'silent');
  const verifyIdentity = async (header: string | undefined) =>
    header === undefined ? null : header === 'anonymous' ? { kind: 'anonymous' as const } : user(header);
  const options = { verifyIdentity, callers, log };
  const nothing = async () => ({}) as never;
  const handlers = Object.fromEntries(Object.keys(router.routes).map((name) => [name, nothing]));
  mountRouter(app, router, handlers as never, { ...options, deps: {} });
  refuseOtherMethods(app, [router], options);
  app.use(refuseUnknownPath, createErrorHandler(log));
  origin = `http://127.0.0.1:${await listenOn(server, '127.0.0.1', 0)}`;
});
afterAll(() => server.close());

async function ask(method: string, path: string, as?: string) {
  const headers: Record<string, string> = as === undefined ? {} : { 'x-botyard-identity': as };
  const response = await fetch(`${origin}/api/things${path}`, { method, headers });
  return { status: response.status, allow: response.headers.get('allow') };
}

test('an undefined method of a path is 405 with Allow, for callers who may use one of its methods', async () => {
  const refused = { status: 405, allow: 'GET, HEAD, POST' };
  expect(await ask('DELETE', `/${tenantId}`, 'member')).toEqual(refused);
  expect(await ask('PATCH', `/${tenantId}`, 'admin')).toEqual(refused);
  expect(await ask('PUT', '', 'anonymous')).toMatchObject({ status: 405, allow: 'POST' });
});

test('a resource is not looked for: whether it exists makes no difference', async () => {
  expect(await ask('DELETE', `/${tenantId}/${thingId}`, 'member')).toMatchObject({
    status: 405,
    allow: 'GET, HEAD',
  });
});

test('the word of a path is not taken for an identifier of another one', async () => {
  expect(await ask('GET', `/${tenantId}/search`, 'member')).toMatchObject({ status: 405, allow: 'POST' });
});

test('everybody else is answered as by the routes themselves', async () => {
  for (const method of ['GET', 'DELETE']) {
    expect(await ask(method, `/${tenantId}`)).toMatchObject({ status: 401, allow: null });
    expect(await ask(method, `/${tenantId}`, 'anonymous')).toMatchObject({ status: 401, allow: null });
    expect(await ask(method, `/${tenantId}`, 'stranger')).toMatchObject({ status: 403, allow: null });
    expect(await ask(method, '/operators/all', 'admin')).toMatchObject({ status: 403, allow: null });
  }
});

test('a malformed identifier is 404 for callers who might have reached it, and 403 for all others', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
    expect(await ask(method, '/no-uuid', 'member')).toMatchObject({ status: 403, allow: null });
    expect(await ask(method, `/${tenantId}/no-uuid`, 'member')).toMatchObject({ status: 404, allow: null });
    expect(await ask(method, `/${tenantId}/no-uuid`, 'stranger')).toMatchObject({ status: 403, allow: null });
    expect(await ask(method, `/${tenantId}/no-uuid`)).toMatchObject({ status: 401, allow: null });
  }
});

test('a word of the paths in the place of an identifier is a path that no route has', async () => {
  for (const as of ['member', 'stranger']) {
    expect(await ask('GET', '/search', as)).toMatchObject({ status: 404, allow: null });
    expect(await ask('DELETE', '/operators', as)).toMatchObject({ status: 404, allow: null });
  }
});

test('a path that no route has is 404', async () => {
  expect(await ask('GET', `/${tenantId}/${thingId}/more`, 'admin')).toMatchObject({ status: 404 });
});

test('HEAD, OPTIONS and unusual methods are answered by the same rule', async () => {
  for (const method of ['OPTIONS', 'PROPFIND']) {
    expect(await ask(method, `/${tenantId}`, 'admin')).toMatchObject({ status: 405 });
    expect(await ask(method, `/${tenantId}`, 'stranger')).toMatchObject({ status: 403, allow: null });
  }
  expect(await ask('HEAD', `/${tenantId}/search`, 'admin')).toMatchObject({ status: 405, allow: 'POST' });
});
