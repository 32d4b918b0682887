import { routers } from '@botyard/contracts/http/catalogue';
import { defineRouter } from '@botyard/contracts/http/contract';
import { expect, test } from 'vitest';
import { createRoutingTable } from '../../src/domain/routing-table.ts';

const router = (basePath: `/${string}`, service: 'keys' | 'usage' | 'gateway') =>
  defineRouter({ basePath, service, description: '', routes: {} });

test('the longest base path wins, at a segment boundary, in any case', () => {
  const find = createRoutingTable([router('/api/Admin', 'keys'), router('/api/admin/apps', 'usage')]);
  expect(find('/api/admin/apps/x')?.service).toBe('usage');
  expect(find('/api/admin/apps')?.service).toBe('usage');
  expect(find('/api/admin/appsy')?.service).toBe('keys');
  expect(find('/api/administrators')).toBeNull();
  expect(find('/api')).toBeNull();
});

test("webhooks are added to the contracts, and the gateway's own paths are not forwarded", () => {
  const find = createRoutingTable([router('/api/system', 'gateway')]);
  expect(find('/webhooks/idp')?.service).toBe('webhooks');
  expect(find('/webhooks')?.service).toBe('webhooks');
  expect(find('/api/webhooks/idp')).toBeNull();
  expect(find('/api/system/info')).toBeNull();
});

test('every router of the catalogue is reached', () => {
  const find = createRoutingTable(routers);
  for (const { basePath, service } of routers)
    expect(find(`${basePath}/x`)).toMatchObject({ basePath, service });
});
