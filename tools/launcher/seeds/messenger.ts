import { z } from 'zod';
import type { Api } from '../seed-api.ts';
import { untilRegistered } from './registration.ts';

const Integration = z.object({ integrationId: z.string(), integrationType: z.string() });

/** Connects the demo bot, and waits until its webhook is registered. Returns the integration's ID. */
export async function integrateBot(
  api: Api,
  { path, botToken, username }: { path: string; botToken: string; username: string },
): Promise<string> {
  const body = { integrationType: 'messenger', credentials: { botToken, botName: username } };
  const existing = (await api.list(path, Integration)).find(
    ({ integrationType }) => integrationType === body.integrationType,
  );
  const { integrationId } = existing ?? (await api.post(path, body, Integration));
  await untilRegistered(api, `${path}/${integrationId}`);
  return integrationId;
}
