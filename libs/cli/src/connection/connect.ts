import { ApiError } from '@botyard/client/api-error';
import { type Client, createClient } from '@botyard/client/client';
import { CliError } from '../cli-error.ts';
import { readCredentials } from './credentials.ts';
import { isLoopback } from './loopback.ts';
import { renewed } from './oauth.ts';

export interface Place {
  url?: string | undefined;
  tenant?: string | undefined;
}

export interface Connection {
  api: Client;
  tenantId: string;
  origin: string;
}

/**
 * The installation. Never read from the folder: a foreign folder could have the token sent to its author.
 * @throws CliError for an address that can't be used.
 */
export function originOf({ url }: Place, env: NodeJS.ProcessEnv): string {
  const address = url || env.BOTYARD_URL || 'http://localhost:3001';
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new CliError(`${address} is not an address`, 2);
  if (parsed.protocol === 'http:' && !isLoopback(parsed))
    throw new CliError(`${address} is not encrypted: use https`, 2);
  return parsed.origin;
}

/** Signs in with `BOTYARD_TOKEN`, or else as `botyard login` has. @throws CliError with what to do. */
export async function connect(place: Place, env: NodeJS.ProcessEnv): Promise<Connection> {
  const origin = originOf(place, env);
  const token = env.BOTYARD_TOKEN || (await storedToken(env, origin));
  const tenant = place.tenant || env.BOTYARD_TENANT || null;
  const api = createClient({ origin, token: () => token ?? null, tenantId: () => tenant });
  const me = await api.get('/api/current-user').catch((error: unknown) => {
    throw notConnected(error, origin);
  });
  const tenantId = tenant ?? me.activeTenantId ?? (me.tenants.length === 1 ? me.tenants[0]!.tenantId : null);
  if (tenantId === null) {
    const list = me.tenants.map((one) => `\n  ${one.tenantId} (${one.role})`).join('');
    throw new CliError(`name the tenant with --tenant or BOTYARD_TENANT. Yours are:${list}`, 2);
  }
  return {
    api: createClient({ origin, token: () => token ?? null, tenantId: () => tenantId }),
    tenantId,
    origin,
  };
}

async function storedToken(env: NodeJS.ProcessEnv, origin: string): Promise<string | undefined> {
  const credentials = await readCredentials(env, origin);
  return credentials && (await renewed(env, origin, credentials)).accessToken;
}

function notConnected(error: unknown, origin: string): Error {
  if (error instanceof ApiError)
    return error.status === 401
      ? new CliError(`${origin} does not know you. Sign in with "botyard login", or set BOTYARD_TOKEN`)
      : new CliError(`${origin} answered ${error.status}: ${error.message}`);
  if (error instanceof CliError) return error;
  return new CliError(`${origin} does not answer. Is it running? Name another one with --url or BOTYARD_URL`);
}
