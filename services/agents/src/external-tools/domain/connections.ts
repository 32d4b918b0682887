import { createHash, randomBytes } from 'node:crypto';
import {
  type ConnectionStatus,
  type ConnectToolkitBody,
  connectWithinMinutes,
  type VerifyConnectionBody,
} from '@botyard/contracts/http/tools';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, forbidden, HttpError, notFound, unavailable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { type ProviderAccount, ToolProviderError } from '../clients/tool-provider.ts';
import type { Deps } from '../deps.ts';
import {
  type ConnectionKey,
  type ConnectionRow,
  countConnections,
  deleteAbandoned,
  deleteConnection as deleteRow,
  findBegunConnection,
  getConnection,
  insertConnection,
  settleConnection,
  updateConnectionStatus,
} from '../store/connections.ts';
import { whyToolkitIsOff } from './permission.ts';

const maxConnections = 100;

interface Connecting {
  tenantId: string;
  userId: string;
}

/** The unique name of a tenant's person at the provider. */
const providerUserOf = ({ tenantId, userId }: Connecting): string => `botyard_${tenantId}_${userId}`;

/** The account for a call: a connected one, or an anonymous one for toolkits that need none. */
export const accountFor = (tenantId: string, accountId: string | null) =>
  accountId ? { accountId } : { userId: `botyard_${tenantId}` };

const hashOfState = (state: string): string => createHash('sha256').update(state).digest('hex');

/** Translates a provider's failure into the client's error. @throws HttpError always. */
export function refuseForProvider(error: unknown, what: string): never {
  if (!(error instanceof ToolProviderError)) throw error;
  if (error.fault === 'not found') throw notFound(what, { cause: error });
  if (error.fault === 'limited') {
    const retryAfterSeconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
    throw new HttpError(503, 'the tool provider limits calls at the moment: try again later', {
      cause: error,
      retryAfterSeconds,
    });
  }
  if (error.fault === 'refused')
    throw new HttpError(502, 'the tool provider refused the request', { cause: error });
  throw unavailable('the tool provider does not answer', { cause: error });
}

/** Starts connecting an account. @throws HttpError 404, 409 when the limit is reached, 502, 503. */
export async function connectToolkit(
  { database, toolProvider }: Pick<Deps, 'database' | 'toolProvider'>,
  who: Connecting,
  { toolkit, redirect }: ConnectToolkitBody,
): Promise<{ connectionId: string; state: string; redirectUrl: string; expiresAt: Date }> {
  const { tenantId, userId } = who;
  await withTenant(database, [tenantId], async (tx) => {
    if (await whyToolkitIsOff(tx, tenantId, toolkit)) throw notFound('toolkit');
    await deleteAbandoned(tx, tenantId);
    if ((await countConnections(tx, tenantId)) >= maxConnections)
      throw conflict(`a tenant has ${maxConnections} connections at most: delete some first`);
  });
  const state = randomBytes(32).toString('base64url');
  const providerUserId = providerUserOf(who);
  const callbackUrl = redirect && withState(redirect, state);
  const linked = await toolProvider
    .getToolkit(toolkit)
    .then(() => toolProvider.link({ toolkit, userId: providerUserId, callbackUrl }))
    .catch((error: unknown) => refuseForProvider(error, 'toolkit'));
  const connectionId = uuidv7();
  const expiresAt = new Date(Date.now() + connectWithinMinutes * 60_000);
  await withTenant(database, [tenantId], (tx) =>
    insertConnection(tx, {
      tenantId,
      connectionId,
      userId,
      toolkit,
      status: 'pending',
      providerUserId,
      expiresAt,
      providerAccountId: linked.accountId,
      stateHash: hashOfState(state),
    }),
  );
  return { connectionId, state, redirectUrl: linked.redirectUrl, expiresAt };
}

function withState(redirect: string, state: string): string {
  const url = new URL(redirect);
  url.searchParams.set('state', state);
  return url.href;
}

/**
 * Confirms that an account was connected, by the person who started it, in the same tenant. The first final result uses
 * up the state, which stays valid until the person has finished. @throws HttpError 403, 404, 409, 502, 503.
 */
export async function verifyConnection(
  { database, toolProvider }: Pick<Deps, 'database' | 'toolProvider'>,
  { tenantId, userId }: Connecting,
  { state, connectionId }: VerifyConnectionBody,
): Promise<ConnectionRow> {
  const wanted = state ? { stateHash: hashOfState(state) } : { name: connectionId ?? '' };
  const begun = await withTenant(database, [tenantId], (tx) =>
    findBegunConnection(tx, { tenantId, userId, ...wanted }),
  );
  if (!begun) throw notFound('authorization');
  if (state && begun.stateUsedAt)
    throw conflict('this state has already been used: start the connection again');
  if (isFinal(begun.status)) return begun;
  if (begun.status === 'pending' && begun.expiresAt.getTime() < Date.now())
    throw conflict('this authorization has expired: start the connection again');
  const account = await toolProvider
    .getAccount(begun.providerAccountId)
    .catch((error: unknown) => refuseForProvider(error, 'account'));
  requireOwn(begun, account);
  const status = statusOf(account);
  if (status === 'pending') return begun;
  return await withTenant(database, [tenantId], async (tx) => {
    const settled = begun.stateUsedAt
      ? await updateConnectionStatus(tx, begun, status)
      : await settleConnection(tx, begun, status);
    if (!settled) throw conflict('this state has already been used: start the connection again');
    return settled;
  });
}

/** Rejects an account that isn't the caller's own. */
function requireOwn(begun: ConnectionRow, account: ProviderAccount): void {
  const isOwn =
    account.id === begun.providerAccountId &&
    account.user_id === begun.providerUserId &&
    account.toolkit.slug === begun.toolkit;
  if (!isOwn) throw forbidden('you did not connect this account for this tenant');
}

const isFinal = (status: ConnectionStatus): boolean => status === 'failed' || status === 'expired';

function statusOf({ status }: ProviderAccount): ConnectionStatus {
  switch (status.toUpperCase()) {
    case 'ACTIVE':
      return 'active';
    case 'FAILED':
      return 'failed';
    case 'EXPIRED':
      return 'expired';
    case 'INACTIVE':
      return 'inactive';
    default:
      return 'pending';
  }
}

/**
 * Disconnects the account at the provider first, so that a deleted account can never be used there. @throws HttpError
 * 404, 502, 503.
 */
export async function deleteConnection(
  { database, toolProvider }: Pick<Deps, 'database' | 'toolProvider'>,
  key: ConnectionKey,
): Promise<void> {
  const row = found(await withTenant(database, [key.tenantId], (tx) => getConnection(tx, key)), 'connection');
  await toolProvider
    .deleteAccount(row.providerAccountId)
    .catch((error: unknown) => refuseForProvider(error, 'connection'));
  await withTenant(database, [key.tenantId], (tx) => deleteRow(tx, key));
}
