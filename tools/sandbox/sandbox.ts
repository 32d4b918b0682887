/** The wiring: the platforms behind their prefixes, the page's API and the page itself, all on one loopback port. */

import {
  type Handler,
  listenOnLoopback,
  mountUnder,
  sendAnswer,
} from '@botyard/shared/testing/fake/fake-server';
import { createFakeTools, type FakeTools } from '@botyard/shared/testing/fake/fake-tools';
import { createFakeIdp, type FakeIdp } from '@botyard/shared/testing/fake-idp';
import { createFakeMailer, type FakeMailer } from '@botyard/shared/testing/fake-mailer';
import { createFakeMessenger, type FakeMessenger } from '@botyard/shared/testing/fake-messenger';
import { createFakeModel, type FakeModel } from '@botyard/shared/testing/fake-model';
import { createApi } from './api.ts';
import { demoReply } from './model/demo-model.ts';
import { servePage } from './page-files.ts';
import { keepMailerState, keepMessengerState } from './saved-state.ts';
import type { SandboxSettings } from './settings.ts';

export type Platforms = {
  messenger?: FakeMessenger;
  mailer?: FakeMailer;
  idp?: FakeIdp;
  model?: FakeModel;
  tools?: FakeTools;
};

export type Sandbox = { url: string; platforms: Platforms; stop(): Promise<void> };

export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const platforms = createPlatforms(settings);
  const { messenger, mailer } = platforms;
  const { directory } = settings;
  const saved = [
    ...(messenger === undefined ? [] : [await keepMessengerState(messenger, directory)]),
    ...(mailer === undefined ? [] : [await keepMailerState(mailer, directory)]),
  ];
  const api = createApi(platforms);
  const mounts: Record<string, Handler> = { '/api': onlyLocal(api.handle) };
  for (const [name, platform] of Object.entries(platforms)) mounts[`/${name}`] = platform.handle;
  const listening = await listen(mountUnder(mounts, onlyLocal(servePage)), settings.port);
  tellAddresses(platforms, listening.origin);
  const stop = async () => {
    api.close();
    for (const platform of Object.values(platforms)) await platform.close();
    await listening.close();
    for (const state of saved) await state.flush();
  };
  return { url: listening.origin, platforms, stop };
}

function createPlatforms(settings: SandboxSettings): Platforms {
  const isOn = (name: keyof Platforms) => settings.platforms.includes(name);
  return {
    ...(isOn('messenger') ? { messenger: createFakeMessenger({ acceptAnyToken: true }) } : {}),
    ...(isOn('mailer')
      ? { mailer: createFakeMailer({ apiKey: settings.mailerApiKey, acceptAnyKey: true, retryScale: 0.005 }) }
      : {}),
    ...(isOn('idp') ? { idp: withDemoPeople(createFakeIdp({ secretKey: settings.idpSecretKey })) } : {}),
    ...(isOn('model')
      ? { model: createFakeModel({ models: ['sandbox'], reply: demoReply, chunkDelayMs: 15 }) }
      : {}),
    ...(isOn('tools') ? { tools: createFakeTools({ apiKey: settings.toolsApiKey }) } : {}),
  };
}

function withDemoPeople(idp: FakeIdp): FakeIdp {
  idp.addUser({ id: 'user_sandbox', email: 'sam@sandbox.test', firstName: 'Sam', lastName: 'Sandbox' });
  idp.addOrganization({ id: 'org_sandbox', name: 'Sandbox' });
  idp.addMembership({ userId: 'user_sandbox', orgId: 'org_sandbox', role: 'org:admin' });
  return idp;
}

/** The addresses as Botyard's settings want them. */
function tellAddresses({ messenger, mailer, idp, model, tools }: Platforms, origin: string): void {
  if (messenger !== undefined) messenger.url = `${origin}/messenger`;
  if (mailer !== undefined) mailer.url = `${origin}/mailer`;
  if (model !== undefined) model.url = `${origin}/model/v1`;
  if (tools !== undefined) tools.url = `${origin}/tools/api/v3`;
  if (idp === undefined) return;
  idp.url = `${origin}/idp/v1`;
  idp.issuer = `${origin}/idp`;
}

async function listen(handler: Handler, port: number) {
  try {
    return await listenOnLoopback(handler, port);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw isTaken ? new Error(`port ${port} is taken; set SANDBOX_PORT to a free one`) : error;
  }
}

/**
 * The page's API writes as a person, so a web site elsewhere must not reach it through the visitor's browser: neither by a name that it
 * points at loopback (Host), nor by a form or fetch across origins (Origin).
 */
function onlyLocal(handler: Handler): Handler {
  return async (req, res) => {
    const host = req.headers.host ?? '';
    const isLocalHost = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host);
    const origin = req.headers.origin;
    const isOwnOrigin = origin === undefined || origin === `http://${host}`;
    if (!isLocalHost || !isOwnOrigin)
      return sendAnswer(res, { status: 403, body: { error: 'only from this machine' } });
    return handler(req, res);
  };
}
