import { createHash, timingSafeEqual } from 'node:crypto';
import type {
  CompleteMessengerLoginBody,
  MessengerLoginConfig,
  MessengerLoginStatus,
  SignInTicket,
} from '@botyard/contracts/http/messenger-auth';
import { loginPlatform } from '@botyard/contracts/http/platform';
import { withPlatform } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, unauthorized, unprocessable } from '@botyard/shared/http/errors';
import type { Exchange } from '@botyard/shared/http/exchange';
import type { Deps } from '../deps.ts';
import { findOwner } from '../store/links.ts';
import {
  claimLogin,
  countLoginsOf,
  getLogin,
  insertLogin,
  type MessengerLoginRow,
  settleLogin,
  useProof,
} from '../store/messenger-logins.ts';
import { type Attempt, beginAttempt, isExpired, readAttempt } from './attempt.ts';
import type { MessengerLogin } from './login-bot.ts';
import { type SignedLogin, verifySignedLogin } from './signed-login.ts';

/**
 * Limits on the attempts to complete one sign-in, and on the sign-ins of one account within the hour for which they are
 * stored.
 */
const maxTries = 5;
const maxLoginsOfAccount = 20;
/** Longer than the timeout for the identity provider. */
const busyMs = 15_000;
const ticketSeconds = 120;
/** Measured with every character escaped. Browsers silently drop a cookie that is too long. */
const longestAddress = 1000;

type Fields = Readonly<Record<string, string>>;

/** The same text for any fault of a signature, a browser or a time, so that it reveals nothing to a forger. */
const notVerified = () => unauthorized('this sign-in can not be verified: begin again');

/** @throws HttpError 404 if no login bot is configured. */
const requireLogin = ({ messengerLogin }: Pick<Deps, 'messengerLogin'>): MessengerLogin =>
  found(messengerLogin, 'signing in through the messenger');

/** Begins a sign-in in this browser. @throws HttpError 422 for an address that isn't the app's, 503. */
export async function beginLogin(
  deps: Deps,
  exchange: Exchange,
  wanted: string | undefined,
): Promise<MessengerLoginConfig> {
  const { messengerLogin: login } = deps;
  if (!login) return { enabled: false };
  const returnTo = new URL(wanted ?? `${login.origins[0]}/`);
  const isAllowed = login.origins.includes(returnTo.origin) && !returnTo.username && !returnTo.password;
  if (!isAllowed) throw unprocessable('returnTo is not an address of the app');
  if (returnTo.href.length > longestAddress) throw unprocessable('returnTo is too long');
  const botUsername = await login.botUsername();
  const { state, expiresAt } = await beginAttempt(deps.keyring, exchange, returnTo.href);
  return {
    enabled: true,
    botUsername,
    authUrl: `${returnTo.origin}/api/messenger-auth/callback?state=${state}`,
    state,
    returnTo: returnTo.href,
    canSignIn: deps.idp.isConfigured,
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

/** Handles the widget's redirect. Returns the address to redirect to. @throws HttpError 401, 404, 409. */
export async function returnToApp(
  deps: Deps,
  exchange: Exchange,
  { state, ...fields }: Fields,
): Promise<string> {
  requireLogin(deps);
  const attempt = await requireAttempt(deps, exchange);
  await verify(deps, attempt, { state, fields });
  const address = new URL(attempt.returnTo);
  address.searchParams.set('messengerLogin', 'verified');
  return address.href;
}

/**
 * The ticket for the account's owner. Only one of two concurrent calls gets it. @throws HttpError 401 for an
 * unverifiable sign-in, 409 for an unlinked account or a completed one; 503.
 */
export async function completeLogin(
  deps: Deps,
  exchange: Exchange,
  { login: fields, state }: CompleteMessengerLoginBody,
): Promise<SignInTicket> {
  requireLogin(deps);
  const attempt = await requireAttempt(deps, exchange);
  if (fields) await verify(deps, attempt, { state, fields });
  const { login, owner } = await claim(deps, attempt);
  try {
    if (!owner) throw notLinked();
    const expiresAt = new Date(Date.now() + ticketSeconds * 1000).toISOString();
    const ticket = await deps.idpTickets.create(owner.idpUserId, ticketSeconds);
    if (!ticket) throw notLinked();
    await settle(deps, login, 'completed');
    deps.log.info({ audit: 'signed in through the messenger', userId: owner.userId }, 'audit');
    return { ...ticket, expiresAt };
  } catch (error) {
    await settle(deps, login, 'verified');
    throw error;
  }
}

const notLinked = () =>
  conflict(
    'this account of the messenger is not linked: sign in as usual, and link it with POST /api/identity-links',
  );

/** The progress of this browser's sign-in, and nothing about any other. */
export async function statusOfLogin(deps: Deps, exchange: Exchange): Promise<MessengerLoginStatus> {
  const attempt = deps.messengerLogin ? await readAttempt(deps.keyring, exchange) : null;
  if (!attempt) return { state: 'none' };
  const row = await withPlatform(deps.database, 'messenger login', (tx) => getLogin(tx, attempt.loginId));
  const expiresAt = new Date(attempt.expiresAt).toISOString();
  if (row?.state === 'completed') return { state: 'completed', expiresAt };
  if (isExpired(attempt)) return { state: 'expired', expiresAt };
  return { state: row ? 'verified' : 'pending', expiresAt };
}

/**
 * Ensures that a signature of the platform is used only once. @throws HttpError 401 for data that the platform did not
 * just sign for the login bot, or that was used before.
 */
export function requireSigned(deps: Pick<Deps, 'messengerLogin'>, fields: Fields): SignedLogin {
  const login = verifySignedLogin(fields, requireLogin(deps).botToken, Date.now());
  if (!login) throw notVerified();
  return login;
}

/** @throws HttpError 401 when it was used before. */
export async function requireFirstUse(
  tx: Parameters<typeof useProof>[0],
  { hash }: SignedLogin,
): Promise<void> {
  if (!(await useProof(tx, hash))) throw notVerified();
}

async function requireAttempt({ keyring }: Deps, exchange: Exchange): Promise<Attempt> {
  const attempt = await readAttempt(keyring, exchange);
  if (!attempt || isExpired(attempt)) throw notVerified();
  return attempt;
}

async function verify(
  deps: Deps,
  { loginId, state: due }: Attempt,
  { state, fields }: { state: string | undefined; fields: Fields },
): Promise<void> {
  if (state === undefined || !isSame(state, due)) throw notVerified();
  const signed = requireSigned(deps, fields);
  const { platformUserId } = signed;
  await withPlatform(deps.database, 'messenger login', async (tx) => {
    await requireFirstUse(tx, signed);
    if ((await countLoginsOf(tx, platformUserId)) >= maxLoginsOfAccount)
      throw conflict('this account has signed in too often within the hour: try again later');
    if (!(await insertLogin(tx, { loginId, platformUserId })))
      throw conflict('this sign-in has already been verified: complete it, or begin again');
  });
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

/** @throws HttpError 409 when there is nothing to complete, or another request is completing it. */
async function claim({ database }: Deps, { loginId }: Attempt) {
  return await withPlatform(database, 'messenger login', async (tx) => {
    const login = await claimLogin(tx, loginId, { attempts: maxTries, busyMs });
    if (!login) {
      throw (await getLogin(tx, loginId))
        ? conflict('this sign-in is completed, or is being completed: begin again to start another one')
        : conflict('the messenger has not confirmed this sign-in yet');
    }
    const { platformUserId } = login;
    return { login, owner: await findOwner(tx, { platform: loginPlatform, platformUserId }) };
  });
}

const settle = ({ database }: Deps, login: MessengerLoginRow, state: 'verified' | 'completed') =>
  withPlatform(database, 'messenger login', (tx) => settleLogin(tx, login, state));
