import { z } from 'zod';
import { waitUntil } from '../../embedded/wait-until.ts';
import type { Api } from '../seed-api.ts';

const registeredWithinMs = 20_000;

const Registered = z.object({
  registration: z.object({ state: z.string(), lastError: z.string().optional() }),
});

/** Waits until the platform knows the address of an integration. @throws Error with what the platform said last. */
export async function untilRegistered(api: Api, path: string): Promise<void> {
  let last = 'pending';
  const isRegistered = await waitUntil(
    async () => {
      const { registration } = await api.get(path, Registered);
      last = registration.lastError ?? registration.state;
      return registration.state === 'registered' ? true : undefined;
    },
    { timeoutMs: registeredWithinMs, everyMs: 50 },
  );
  if (!isRegistered) throw new Error(`its webhook was not registered (${last})`);
}
