import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@botyard/client/client';
import { generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi';
import { CliError } from '../cli-error.ts';
import { saveCredentials } from '../connection/credentials.ts';
import { authorizationUrl, complete, discover, type Flow, registerClient } from '../connection/oauth.ts';

const waitMs = 5 * 60_000;
const path = '/callback';

export interface LoginOptions {
  origin: string;
  clientId?: string | undefined;
  opensBrowser: boolean;
  env: NodeJS.ProcessEnv;
  write: (text: string) => void;
}

/** Signs in at the identity provider, in a browser of this machine. @throws CliError. */
export async function login({ origin, clientId, opensBrowser, env, write }: LoginOptions): Promise<void> {
  const way = await discover(origin).catch(async (error: unknown) => {
    if (await needsNone(origin)) return undefined;
    throw error;
  });
  if (!way) return write(`${origin} is in development mode: no sign-in is needed.\n`);
  const { server, resource } = way;
  const callback = createServer();
  callback.listen(0, '127.0.0.1');
  await once(callback, 'listening');
  try {
    const redirectUri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}${path}`;
    const flow: Flow = {
      server,
      resource,
      redirectUri,
      clientId: clientId ?? (await registerClient(server, redirectUri)),
      state: generateRandomState(),
      verifier: generateRandomCodeVerifier(),
    };
    const url = await authorizationUrl(flow);
    write(`Open this page to sign in:\n\n  ${url}\n\n`);
    if (opensBrowser) openBrowser(url);
    const saved = await saveCredentials(env, origin, await completed(callback, flow));
    write(`You are signed in at ${origin}. The token is in ${saved}.\n`);
  } finally {
    callback.close();
    callback.closeAllConnections();
  }
}

const needsNone = (origin: string): Promise<boolean> =>
  createClient({ origin })
    .get('/api/current-user')
    .then(
      () => true,
      () => false,
    );

/** Waits for the person to come back. Requests that don't belong to this sign-in end nothing. */
async function completed(callback: ReturnType<typeof createServer>, flow: Flow) {
  const late = AbortSignal.timeout(waitMs);
  return await new Promise<Awaited<ReturnType<typeof complete>>>((resolve, reject) => {
    late.addEventListener('abort', () => reject(new CliError('nobody signed in within 5 minutes')));
    callback.on('request', (req, res) => {
      const url = new URL(req.url ?? '/', flow.redirectUri);
      const answer = (status: number, text: string) =>
        res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(text);
      if (url.pathname !== path || url.searchParams.get('state') !== flow.state)
        return answer(404, 'This is not the address of a sign-in.');
      complete(flow, url).then(
        (credentials) => {
          answer(200, 'You are signed in. Go back to the terminal; this page can be closed.');
          resolve(credentials);
        },
        (error: unknown) => {
          answer(400, 'The sign-in was not completed. The terminal says why.');
          reject(new CliError(`the sign-in was not completed: ${(error as Error).message}`));
        },
      );
    });
  });
}

/** A machine without a browser has the address in the terminal. */
function openBrowser(url: string): void {
  const [command, ...before] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['explorer'] : ['xdg-open'];
  spawn(command!, [...before, url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
