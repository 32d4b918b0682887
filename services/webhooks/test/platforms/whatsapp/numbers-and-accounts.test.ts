import { accountChanged } from '@botyard/contracts/events/webhooks';
import { createLog } from '@botyard/shared/log/log';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createGraphClient } from '../../../src/platforms/whatsapp/clients/graph.ts';
import { createGraphFiles } from '../../../src/platforms/whatsapp/clients/graph-files.ts';
import type { WhatsAppEndpoint } from '../../../src/platforms/whatsapp/domain/connection.ts';
import { fetching } from '../../../src/platforms/whatsapp/domain/fetch-file.ts';
import { TypingMarks } from '../../../src/platforms/whatsapp/domain/show-typing.ts';
import { eventsOf } from '../../webhooks-services.ts';
import { appSecrets, type ConnectedNumber, WhatsAppServices } from './whatsapp-services.ts';

let services: WhatsAppServices;
let first: ConnectedNumber;
let second: ConnectedNumber;

beforeAll(async () => {
  services = await WhatsAppServices.open();
  await services.start();
  const business = services.whatsapp.addBusiness();
  business.app.secret = appSecrets.secret;
  first = await services.connect(business);
  const { app, account } = business;
  second = await services.connect(services.whatsapp.addBusiness({ app, account }));
  const url = `${services.baseUrl}/webhooks/whatsapp`;
  await services.whatsapp.setAppCallback(app, { url, verifyToken: appSecrets.verifyToken });
  for (const field of ['account_update', 'phone_number_quality_update']) app.fields.add(field);
});
afterAll(() => services?.close());

const announce = (field: string, value: Record<string, unknown>) =>
  services.whatsapp.announce(first.business.account.id, field, value);

const newsWith = async (reason: string, count: number) =>
  await eventually('the news is announced', async () => {
    const own = (await eventsOf(services.harness, accountChanged)).filter((news) => news.reason === reason);
    return own.length >= count ? own : undefined;
  });

test("news of an account come to the app's address, and concern every number of the account", async () => {
  announce('account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } });
  const news = await newsWith('WhatsApp has banned the account', 2);
  expect(new Set(news.map(({ integrationId }) => integrationId))).toEqual(
    new Set([first.integrationId, second.integrationId]),
  );
  expect(news.map(({ state }) => state)).toEqual(['restricted', 'restricted']);
});

test("news of a number's quality concern that number only", async () => {
  const number = second.business.number.display;
  announce('phone_number_quality_update', { event: 'FLAGGED', display_phone_number: number });
  const news = await newsWith('the quality of the number is low', 1);
  expect(news.map(({ integrationId }) => integrationId)).toEqual([second.integrationId]);
});

/** The dependencies of the adapter's parts, for one number. */
function partsOf(number: ConnectedNumber) {
  const { business, tenantId, integrationId } = number;
  const endpoint = {
    tenantId,
    integrationId,
    phoneNumberId: business.number.id,
    accessToken: new Secret(business.token),
    appSecrets: [new Secret(business.app.secret)],
  } as unknown as WhatsAppEndpoint;
  return {
    endpoints: { find: async () => endpoint } as never,
    graph: createGraphClient(services.whatsapp.url, createLog('webhooks', 'silent')),
    graphFiles: createGraphFiles(services.whatsapp.url),
    database: services.harness.databaseAs('webhooks'),
  };
}

test("typing names the person's newest message, and is asked for again only once it has ended", async () => {
  const person = services.whatsapp.addPerson();
  const numberId = first.business.number.id;
  services.whatsapp.say(numberId, person, 'one');
  const newest = services.whatsapp.say(numberId, person, 'two', {
    timestamp: String(Math.floor(Date.now() / 1000) + 1),
  });
  await eventually('the newest message is known', async () => {
    const text = 'select from webhooks.whatsapp_people where last_message_id = $1';
    return (await services.harness.asOwner(text, [newest])).length > 0;
  });
  const typing = new TypingMarks(partsOf(first));
  const show = () => typing.show(first.botId, { platformChatId: person.userId, threadId: undefined });
  const shown = () => services.whatsapp.typing.filter(({ phoneNumberId }) => phoneNumberId === numberId);
  const realNow = performance.now.bind(performance);
  let passedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
  try {
    for (const afterMs of [0, 0, 25_000]) {
      passedMs += afterMs;
      await show();
    }
    expect(shown()).toMatchObject([{ messageId: newest }]);
    passedMs += 2000;
    await show();
    expect(shown()).toMatchObject([{ messageId: newest }, { messageId: newest }]);
  } finally {
    clock.mockRestore();
  }
});

test.each([
  ['image', 5],
  ['audio', 16],
  ['video', 16],
  ['document', 100],
])('of the kind %s files up to %i MB are fetched', async (kind, megabytes) => {
  const parts = partsOf(first);
  const most = megabytes * 1024 * 1024;
  const sizeOf = async (sizeBytes: number) => {
    const graph = {
      ...parts.graph,
      getMedia: async () => ({ outcome: 'ok' as const, result: { url: 'https://x.fbcdn.net/x', sizeBytes } }),
    };
    const graphFiles = async () => ({ outcome: 'fetched' as const, result: 'read' as never });
    const file = {
      botId: first.botId,
      fileRef: `${kind}:1`,
      maxBytes: 1024 ** 3,
      signal: AbortSignal.timeout(10_000),
    };
    const answer = await fetching({ ...parts, graph, graphFiles })(file, async () => 'read');
    return answer.outcome === 'refused' ? answer.reason : answer.outcome;
  };
  expect([await sizeOf(most), await sizeOf(most + 1)]).toEqual(['fetched', 'too_large']);
});
