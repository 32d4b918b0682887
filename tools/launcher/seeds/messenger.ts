import { z } from 'zod';
import { waitUntil } from '../../embedded/wait-until.ts';
import type { Api } from '../seed-api.ts';

const registeredWithinMs = 20_000;

const Integration = z.object({
  integrationId: z.string(),
  integrationType: z.string(),
  registration: z.object({ state: z.string(), lastError: z.string().optional() }),
});

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
  let last = 'pending';
  const registered = await waitUntil(
    async () => {
      const { registration } = await api.get(`${path}/${integrationId}`, Integration);
      last = registration.lastError ?? registration.state;
      return registration.state === 'registered' ? true : undefined;
    },
    { timeoutMs: registeredWithinMs, everyMs: 50 },
  );
  if (!registered) throw new Error(`its webhook was not registered (${last})`);
  return integrationId;
}
