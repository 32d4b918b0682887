import { randomBytes } from 'node:crypto';
import { loginCookies } from '@botyard/contracts/http/messenger-auth';
import { withPlatform } from '@botyard/shared/db/database';
import type { Exchange } from '@botyard/shared/http/exchange';
import type { Binding, Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { pruneLogins } from '../store/messenger-logins.ts';

/** A browser's sign-in. Until the platform has confirmed an account, it exists only in the browser's sealed cookie. */
const Attempt = z.object({
  loginId: z.uuid(),
  /** Known to the page that started it. A link from another site into the callback lacks it. */
  state: z.string(),
  returnTo: z.string(),
  expiresAt: z.number(),
});
export type Attempt = z.output<typeof Attempt>;

/** A sign-in takes a minute; the rest allows for interruptions. */
export const attemptMs = 600_000;
/** How long a browser gets the response that its sign-in has expired, instead of the one that there was none. */
const rememberedMs = 3_600_000;

const bindingOf = (name: string): Binding => ({
  purpose: 'messenger-login',
  tenantId: 'platform',
  recordId: name,
});
const longestCookie = 4096;

/** Begins a sign-in and gives the browser its cookie. */
export async function beginAttempt(keyring: Keyring, exchange: Exchange, returnTo: string): Promise<Attempt> {
  const isSecure = returnTo.startsWith('https:');
  const name = isSecure ? loginCookies.secure : loginCookies.local;
  const attempt: Attempt = {
    loginId: uuidv7(),
    state: randomBytes(32).toString('base64url'),
    returnTo,
    expiresAt: Date.now() + attemptMs,
  };
  const value = await keyring.seal(new Secret(JSON.stringify(attempt)), bindingOf(name));
  exchange.setCookie({ name, value, isSecure, maxAgeSeconds: rememberedMs / 1000 });
  return attempt;
}

/**
 * The sign-in of the requesting browser, even if it has expired; `null` for a missing cookie, or one that this service
 * didn't create.
 */
export async function readAttempt(keyring: Keyring, exchange: Exchange): Promise<Attempt | null> {
  for (const name of [loginCookies.secure, loginCookies.local]) {
    const value = exchange.cookie(name);
    if (!value || value.length > longestCookie) continue;
    const opened = await keyring.open(value, bindingOf(name)).catch(() => null);
    const attempt = opened && Attempt.safeParse(JSON.parse(opened.reveal()));
    if (attempt?.success) return attempt.data;
  }
  return null;
}

export const isExpired = ({ expiresAt }: Attempt): boolean => expiresAt <= Date.now();

/** Longer than a signature is fresh and a sign-in lasts. */
const keptMs = 3_600_000;

/** Forgets sign-ins and signatures that are too old to be shown again. */
export const createLoginHousekeeping = ({ database, log }: Pick<Deps, 'database' | 'log'>): Worker =>
  createPeriodic({
    name: 'old sign-ins',
    everyMs: 600_000,
    log,
    work: () => withPlatform(database, 'old sign-ins', (tx) => pruneLogins(tx, keptMs)),
  });
