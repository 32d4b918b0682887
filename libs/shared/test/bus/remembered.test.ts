import { expect, test } from 'vitest';
import { Remembered } from '../../src/bus/remembered.ts';

test('a cached answer is not used while the bus is down, because no change could be announced', () => {
  const bus = { isConnected: true };
  const remembered = new Remembered<true>(bus);
  remembered.asking('tenant', 'name')(true);
  expect(remembered.get('tenant', 'name')).toBe(true);
  bus.isConnected = false;
  expect(remembered.get('tenant', 'name')).toBeUndefined();
});

test('a change of a tenant drops its cached entries, and keeps those of other tenants', () => {
  const remembered = new Remembered<true>({ isConnected: true });
  for (const tenantId of ['changed', 'other']) remembered.asking(tenantId, 'name')(true);
  remembered.onEvent({ tenantId: 'changed' });
  expect(['changed', 'other'].map((tenantId) => remembered.get(tenantId, 'name'))).toEqual([undefined, true]);
  remembered.onGap();
  expect(remembered.get('other', 'name')).toBeUndefined();
});

test('an answer that was under way when a change was announced is not remembered', () => {
  const remembered = new Remembered<true>({ isConnected: true });
  for (const change of [() => remembered.onEvent({ tenantId: 'tenant' }), remembered.onGap]) {
    const remember = remembered.asking('tenant', 'name');
    change();
    remember(true);
    expect(remembered.get('tenant', 'name')).toBeUndefined();
  }
});
