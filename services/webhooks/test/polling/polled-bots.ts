import { randomInt } from 'node:crypto';
import { messageReceived, registrationChanged } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { Call } from '@botyard/testing/fake/fake-server';
import { expect } from 'vitest';
import {
  callsOfBot,
  eventsOf,
  type Integration,
  newIntegration,
  save,
  type WebhooksServices,
} from '../webhooks-services.ts';

export const polling = { MESSENGER_UPDATES: 'polling' };

/** The calls to the messenger with the integration's own token. */
export const callsOf = (
  { messenger }: WebhooksServices,
  integration: Integration,
  ...operations: string[]
): Call[] =>
  messenger.calls.filter((call) => callsOfBot(integration)(call) && operations.includes(call.operation));

/** Waits until so many messages of the integration were admitted, and checks that they are these, in this order. */
export async function arrived(
  { harness }: WebhooksServices,
  { integrationId }: Integration,
  ...texts: string[]
): Promise<void> {
  const arrivedTexts = await eventually(`${texts} arrived`, async () => {
    const events = await eventsOf(harness, messageReceived);
    const own = events.filter((event) => event.integrationId === integrationId);
    return own.length >= texts.length && own.map(({ text }) => text);
  });
  expect(arrivedTexts).toEqual(texts);
}

export const say = (
  { messenger }: WebhooksServices,
  { botToken }: Integration,
  text: string,
  chatId = randomInt(1, 2 ** 40),
) => messenger.say({ botToken, chatId, text });

/** The updates that the messenger still holds. */
export const waitingAt = ({ messenger }: WebhooksServices, { botToken }: Integration): number =>
  messenger.pending(messenger.bot(botToken));

export const announced = ({ harness }: WebhooksServices, { integrationId }: Integration, state: string) =>
  eventually(`the registration is announced as ${state}`, async () =>
    (await eventsOf(harness, registrationChanged)).findLast(
      (event) => event.integrationId === integrationId && event.state === state,
    ),
  );

/** An integration whose updates are asked for. */
export async function polledBot(services: WebhooksServices): Promise<Integration> {
  const integration = await save(services, newIntegration(services));
  await eventually('it is asked', () => callsOf(services, integration, 'getUpdates').length > 0);
  return integration;
}
