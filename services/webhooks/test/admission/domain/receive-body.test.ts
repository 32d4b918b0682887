import { randomUUID } from 'node:crypto';
import { unavailable } from '@botyard/shared/http/errors';
import { expect, test } from 'vitest';
import { receiveBody } from '../../../src/admission/domain/receive-body.ts';
import type { Delivery } from '../../../src/admission/store/admission.ts';
import type { ReadDelivery } from '../../../src/platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../../src/platforms/platform.ts';

const endpointOf = (tenantId: string): Endpoint => ({
  tenantId,
  botId: randomUUID(),
  integrationId: randomUUID(),
  platform: 'messenger',
  isEnabled: true,
  isAwaitingFirstDelivery: false,
  openGroups: new Map(),
});

const sayTo = (text: string): ReadDelivery => ({
  eventId: text,
  message: {
    chat: { platformChatId: '1', kind: 'private', title: 'Anna' },
    sender: { platformUserId: '1', name: 'Anna' },
    platformMessageId: text,
    text,
    content: 'text',
    sentAt: '2026-11-20T18:40:00.000Z',
  },
});

/** Receives one body in which each endpoint finds these texts. Tenants in `down` can't be committed. */
async function receive(
  endpoints: readonly Endpoint[],
  texts: readonly string[],
  down: readonly string[] = [],
) {
  const commits: { tenantId: string; eventIds: string[] }[] = [];
  const admit = async (deliveries: readonly Delivery[]) => {
    const tenantId = deliveries[0]!.tenantId;
    if (down.includes(tenantId)) throw unavailable('the database does not answer');
    commits.push({ tenantId, eventIds: deliveries.map(({ eventId }) => eventId) });
    return deliveries.map(() => 'accepted' as const);
  };
  const inbound = { read: async () => texts.map(sayTo) };
  const received = receiveBody(
    { admission: { admit } } as never,
    { platform: { name: 'messenger' }, inbound } as never,
    endpoints,
    { bytes: new Uint8Array(), contentType: 'application/json' },
  );
  const outcome = await received.catch((error: unknown) => error);
  return {
    received: outcome,
    commits: commits.sort((left, right) => left.tenantId.localeCompare(right.tenantId)),
  };
}

test('a body for several integrations is committed once for each tenant, with all deliveries of its integrations', async () => {
  const [one, sibling, other] = [endpointOf('a'), endpointOf('a'), endpointOf('b')];
  const { received, commits } = await receive([one, other, sibling], ['1', '2']);
  expect(received).toEqual(Array(6).fill({ verdict: 'accepted' }));
  expect(commits).toEqual([
    { tenantId: 'a', eventIds: ['1', '2', '1', '2'] },
    { tenantId: 'b', eventIds: ['1', '2'] },
  ]);
});

test('if one tenant can not be committed, the others are, and the body is refused with 503 so that it comes again', async () => {
  const { received, commits } = await receive([endpointOf('a'), endpointOf('b')], ['1'], ['a']);
  expect(received).toMatchObject({ status: 503 });
  expect(commits).toEqual([{ tenantId: 'b', eventIds: ['1'] }]);
});

test('a body for no known integration is admitted with nothing in it', async () => {
  expect(await receive([], ['1'])).toEqual({ received: [], commits: [] });
});
