/** Serves the platforms under their prefixes, the page's API and the pages on one loopback port. */

import type { IncomingMessage } from 'node:http';
import { createLocalRequestFault, type LocalRequest } from '@botyard/shared/http/local-request';
import { type Handler, listenOnLoopback, mountUnder, sendAnswer } from '@botyard/testing/fake/fake-server';
import { FakeDns } from '@botyard/testing/fake-dns';
import type { FakeIdp } from '@botyard/testing/fake-idp';
import { fakeNames, fakes } from '../launcher/settings/fakes.ts';
import { createApi } from './api.ts';
import { createPages } from './page-files.ts';
import { createPlatforms, type Platforms } from './platforms.ts';
import {
  keepMailerState,
  keepMessengerState,
  keepSite,
  keepSlackState,
  keepWhatsAppState,
} from './saved-state.ts';
import type { SandboxSettings } from './settings.ts';
import { Site } from './site/site.ts';

export type Sandbox = { url: string; platforms: Platforms; stop(): Promise<void> };

export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const platforms = createPlatforms(settings);
  const { messenger, mailer, slack, whatsapp } = platforms;
  const { directory } = settings;
  const site = new Site();
  const saved = [
    ...(messenger === undefined ? [] : [await keepMessengerState(messenger, directory)]),
    ...(mailer === undefined ? [] : [await keepMailerState(mailer, directory)]),
    ...(slack === undefined ? [] : [await keepSlackState(slack, directory)]),
    ...(whatsapp === undefined ? [] : [await keepWhatsAppState(whatsapp, directory)]),
    await keepSite(site, directory),
  ];
  // The name server verifies tenants' mail domains. In a container it could not be reached.
  const dns = mailer !== undefined && settings.host === '127.0.0.1' ? new FakeDns() : undefined;
  const api = createApi({ ...platforms, dns, site }, settings);
  const mounts: Record<string, Handler> = { '/api': api.handle };
  for (const [name, platform] of Object.entries(platforms)) mounts[`/${name}`] = platform.handle;
  const { idp } = platforms;
  // For an issuer with a path, clients look here (RFC 8414).
  if (idp !== undefined) mounts['/.well-known/oauth-authorization-server/idp'] = metadataOf(idp);
  const onlyLocal = localGuard(settings);
  const listening = await listen(onlyLocal(mountUnder(mounts, createPages(settings))), settings);
  tellAddresses(platforms, settings.url ?? listening.origin);
  await dns?.listen(Number(new URL(listening.origin).port));
  const stop = async () => {
    api.close();
    for (const platform of Object.values(platforms)) await platform.close();
    await listening.close();
    await dns?.close();
    for (const state of saved) await state.flush();
  };
  return { url: listening.origin, platforms, stop };
}

const metadataOf =
  (idp: FakeIdp): Handler =>
  (req, res) => {
    req.url = '/.well-known/oauth-authorization-server';
    return idp.handle(req, res);
  };

/** Sets the platforms' addresses in the form that Botyard's settings need. */
function tellAddresses({ idp, model, tools, ...others }: Platforms, origin: string): void {
  for (const name of fakeNames) {
    const fake = others[name];
    if (fake !== undefined) fake.url = `${origin}/${name}${fakes[name].apiPath}`;
  }
  if (model !== undefined) model.url = `${origin}/model/v1`;
  if (tools !== undefined) tools.url = `${origin}/tools/api/v3`;
  if (idp === undefined) return;
  idp.url = `${origin}/idp/v1`;
  idp.issuer = `${origin}/idp`;
}

async function listen(handler: Handler, { host, port }: SandboxSettings) {
  try {
    return await listenOnLoopback(handler, port, host);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw isTaken ? new Error(`port ${port} is taken: set SANDBOX_PORT to a free port`) : error;
  }
}

/**
 * Rejects requests from web sites through a visitor's browser and requests through a tunnel. The sandbox issues
 * sessions and writes as any person, and its platforms accept any key.
 */
function localGuard({ host, url }: SandboxSettings): (handler: Handler) => Handler {
  const faultOf = createLocalRequestFault({
    ...(url === undefined ? {} : { hosts: [new URL(url).host] }),
    // Listening outside loopback is the operator's choice.
    ...(host === '127.0.0.1' ? {} : { isPeer: () => true }),
  });
  return (handler) => async (req, res) => {
    const fault = faultOf(isConsent(req) || isOpenedByLink(req) ? withoutSite(req) : req);
    if (fault === null) return handler(req, res);
    const error = `the sandbox accepts only requests from this machine, and ${fault}`;
    sendAnswer(res, { status: 403, body: { error } });
  };
}

/** Other sites send people to these pages, which do nothing until they press a button on them. */
const consentPages = ['/slack/oauth/v2/authorize?', '/idp/oauth/authorize?'];

const isConsent = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && consentPages.some((page) => url.startsWith(page));

/** A person opened the first page in a tab, as the console's link does. It does nothing until they write in it. */
const isOpenedByLink = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  url === '/' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document';

/** The page from which a browser comes doesn't count. */
function withoutSite({ socket, httpVersion, rawHeaders }: IncomingMessage): LocalRequest {
  const kept = rawHeaders.filter(
    (_text, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== 'sec-fetch-site',
  );
  return { socket, httpVersion, rawHeaders: kept };
}
