import { resolveCaller } from '@botyard/contracts/events/tenancy';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { openJson } from '@botyard/shared/secrets/sealed-json';
import { failpoint } from '@botyard/shared/service/failpoint';
import { AuthorizationError, exchangeCode } from '../clients/authorization-server.ts';
import type { Deps } from '../deps.ts';
import { lockServer, updateServer } from '../store/servers.ts';
import { type SignInRow, takeSignIn } from '../store/sign-ins.ts';
import { type BegunSignIn, hashOf, signInBinding } from './begin-sign-in.ts';
import type { Ending } from './ending.ts';
import { type Grant, putGrant, revokeTokens } from './grants.ts';
import { keepUnconfirmed } from './keep-unconfirmed.ts';
import { redirectUriOf } from './oauth-client.ts';

/** The parameters with which a person comes back, and the secret of their browser's cookie. */
export interface Return {
  state: string;
  browser: string | undefined;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
}

type CompleteDeps = Pick<
  Deps,
  'bus' | 'database' | 'egress' | 'keyring' | 'log' | 'publicBaseUrl' | 'visits'
>;

/** Completes a sign-in that was begun in this browser. After a crash in between, the person begins again. */
export async function completeSignIn(
  deps: CompleteDeps,
  { state, browser, code, iss, error }: Return,
): Promise<Ending> {
  if (browser === undefined) return { ending: 'unknown' };
  const hashes = { stateHash: hashOf(state), browserHash: hashOf(browser) };
  const signIn = await withPlatform(deps.database, 'the end of a sign-in to a server', (tx) =>
    takeSignIn(tx, hashes),
  );
  if (!signIn) return { ending: 'unknown' };
  const ending = await endSignIn(deps, signIn, { code, iss, error });
  return signIn.linkId === null ? ending : asOfLink(ending);
}

/** A person knows nothing of servers and the console. */
function asOfLink(ending: Ending): Ending {
  if (ending.ending === 'cancelled') return { ending: 'link refused', reason: 'It was cancelled.' };
  if ('reason' in ending) return { ending: 'link refused', reason: `The reason: ${ending.reason}.` };
  return 'serverId' in ending ? { ending: 'link over' } : ending;
}

async function endSignIn(
  deps: CompleteDeps,
  signIn: SignInRow,
  { code, iss, error }: Pick<Return, 'code' | 'iss' | 'error'>,
): Promise<Ending> {
  const { serverId } = signIn;
  if (error === 'access_denied') return { ending: 'cancelled', serverId };
  if (error !== undefined) return { ending: 'refused', serverId, reason: error };
  if (code === undefined) return { ending: 'unreadable' };
  if (signIn.linkId === null && !(await isStillAdmin(deps, signIn)))
    return { ending: 'not allowed', serverId };
  return await exchange(deps, signIn, { code, iss });
}

async function isStillAdmin({ bus }: Pick<Deps, 'bus'>, { identity, tenantId }: SignInRow): Promise<boolean> {
  if (identity === null) return false;
  const { caller } = await ask(bus, resolveCaller, { identity });
  return (
    caller !== null &&
    (caller.isOperator || caller.roles.some((one) => one.tenantId === tenantId && one.role === 'admin'))
  );
}

async function exchange(
  deps: CompleteDeps,
  signIn: SignInRow,
  { code, iss }: { code: string; iss: string | undefined },
): Promise<Ending> {
  const { tenantId, serverId } = signIn;
  const begun = (await openJson(deps.keyring, signIn.sealedSignIn, signInBinding(signIn))) as BegunSignIn;
  const { codeVerifier, ...rest } = begun;
  const redirectUri = redirectUriOf(deps.publicBaseUrl);
  try {
    await failpoint('agents.sign-in.before-exchange');
    const tokens = await deps.visits.run(tenantId, () =>
      exchangeCode(deps.egress, begun, { code, iss, codeVerifier, redirectUri }),
    );
    await failpoint('agents.sign-in.after-exchange');
    const grant = { ...rest, tokens };
    const ending = await keepFor(deps, signIn, grant);
    if (ending.ending === 'link over' || ending.ending === 'changed') void revokeTokens(deps, grant, signIn);
    return ending;
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error;
    const { fault, message: reason } = error;
    deps.log.info({ err: error, tenantId, serverId }, 'a sign-in to a server was not completed');
    return { ending: fault === 'refused' ? 'refused' : 'no answer', serverId, reason };
  }
}

/** Keeps a grant for the admin or, until they confirm it, for the person who signed in. */
async function keepFor(deps: CompleteDeps, signIn: SignInRow, grant: Grant): Promise<Ending> {
  const { linkId, serverId } = signIn;
  if (linkId !== null) return await keepUnconfirmed(deps, { ...signIn, linkId }, grant);
  return { ending: (await keep(deps, signIn, grant)) ? 'signed in' : 'changed', serverId };
}

/** Stores the grant, unless the server was changed meanwhile: it was made for another address or client then. */
async function keep(
  { database, keyring, log }: CompleteDeps,
  signIn: SignInRow,
  grant: Grant,
): Promise<boolean> {
  const { tenantId, serverId } = signIn;
  const key = { tenantId, serverId };
  const { issuer } = grant.authority;
  return await withTenant(database, [tenantId], async (tx) => {
    const server = await lockServer(tx, key);
    const isSame = server?.usesOauth && server.url === grant.url && (server.issuer ?? issuer) === issuer;
    if (!isSame) return false;
    await putGrant(tx, keyring, server, grant);
    const unchecked = { state: 'unchecked' as const, lastError: null, checkedAt: null };
    await updateServer(tx, key, { ...unchecked, issuer, updatedAt: new Date() });
    tx.afterCommit(() => log.info({ audit: 'signed in to a tool server', serverId, issuer }, 'audit'));
    return true;
  });
}
