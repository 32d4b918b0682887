/** The sandbox's API for its pages and the terminal. Bots are identified by ID or username, never by token. */
import type { ServerResponse } from 'node:http';
import { type Answer, type Handler, readBody, sendAnswer } from '@botyard/testing/fake/fake-server';
import type { FakeDns } from '@botyard/testing/fake-dns';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import { signLogin } from '@botyard/testing/messenger/new-bot';
import type { Bot, MessengerEvent } from '@botyard/testing/messenger/types';
import { tokenShape } from '@botyard/testing/messenger/wire';
import { mapFakes } from '../launcher/settings/fakes.ts';
import { chatPeople } from './chats/people.ts';
import { type ApiRequest, answerChats } from './chats/routes.ts';
import { idpPeople } from './idp/people.ts';
import { answerDns } from './mail/dns.ts';
import { answerMail } from './mail/routes.ts';
import { showcases, toolServerShowcase } from './model/demo-model.ts';
import type { Platforms } from './platforms.ts';
import type { SandboxSettings } from './settings.ts';
import { answerSite, type Site } from './site/site.ts';
import { answerSlack } from './slack/routes.ts';
import { answerWhatsApp } from './whatsapp/routes.ts';

const keepAliveMs = 15_000;

/** The platforms, the name server and the site behind the API. */
type Parts = Platforms & { dns: FakeDns | undefined; site: Site };

type Api = { handle: Handler; close(): void };

export function createApi(platforms: Parts, settings: SandboxSettings): Api {
  const streams = new Set<ServerResponse>();
  const unsubscribe = platforms.messenger?.subscribe((event) => {
    for (const stream of streams)
      stream.write(`event: ${event.type}\ndata: ${JSON.stringify(event satisfies MessengerEvent)}\n\n`);
  });
  const unsubscribeMail = platforms.mailer?.subscribe((event) => {
    for (const stream of streams) stream.write(`event: mailer\ndata: ${JSON.stringify(event)}\n\n`);
  });
  const tellSlack = () => {
    for (const stream of streams) stream.write('event: slack\ndata: {}\n\n');
  };
  const stopSlack = platforms.slack?.world.subscribe(tellSlack);
  const stopWhatsApp = platforms.whatsapp?.subscribe(() => {
    for (const stream of streams) stream.write('event: whatsapp\ndata: {}\n\n');
  });
  // Comments keep proxies and browsers from closing an idle stream.
  const keepAlive = setInterval(() => {
    for (const stream of streams) stream.write(':\n\n');
  }, keepAliveMs);
  keepAlive.unref();

  const handle: Handler = async (req, res) => {
    const { pathname, searchParams: query } = new URL(req.url ?? '/', 'http://sandbox.invalid');
    const path = decoded(pathname);
    const method = req.method ?? 'GET';
    if (path === '/events' && method === 'GET') return openStream(streams, res);
    const body = method === 'POST' ? jsonBody(req.headers['content-type'], await readBody(req)) : {};
    if (body === undefined)
      return sendAnswer(res, { status: 415, body: { error: 'send a JSON object as application/json' } });
    if (path === '/status' && method === 'GET')
      return sendAnswer(res, { status: 200, body: status(platforms, settings) });
    sendAnswer(res, await answer(platforms, { method, path, query, body }, settings));
  };
  const close = () => {
    unsubscribe?.();
    unsubscribeMail?.();
    stopSlack?.();
    stopWhatsApp?.();
    clearInterval(keepAlive);
    for (const stream of streams) stream.end();
  };
  return { handle, close };
}

function openStream(streams: Set<ServerResponse>, res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  res.write('retry: 1000\n\n');
  streams.add(res);
  res.once('close', () => streams.delete(res));
}

/** Returns an empty path, which matches nothing, if the path can't be decoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

/** Accepts JSON only, because another site's form can't send that type without a preflight request. */
function jsonBody(contentType: string | undefined, body: Buffer): Record<string, unknown> | undefined {
  if (!/^application\/json\b/i.test(contentType ?? '')) return undefined;
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

async function answer(
  platforms: Parts,
  request: ApiRequest,
  { gatewayUrl }: SandboxSettings,
): Promise<Answer> {
  const { messenger, mailer } = platforms;
  const route = `${request.method} ${request.path}`;
  if (route === 'GET /people') return { status: 200, body: platforms.idp === undefined ? [] : idpPeople };
  if (route === 'POST /session-token') return sessionToken(platforms, request.body);
  if (route === 'GET /mails') return { status: 200, body: (mailer?.sent.all ?? []).slice(-50).reverse() };
  if (route === 'GET /bots') {
    return {
      status: 200,
      body: messenger?.bots.map((bot) => aboutBot(messenger, bot)) ?? [],
    };
  }
  if (route === 'POST /bots') return nameBot(platforms, request.body);
  if (route === 'POST /login') return login(platforms, request.body);
  return (
    answerDns(platforms.dns, request) ??
    answerMail(mailer, request) ??
    (await answerSlack(platforms.slack, request)) ??
    answerWhatsApp(platforms.whatsapp, request) ??
    answerSite(platforms.site, gatewayUrl, request) ??
    answerChats(messenger, request) ?? { status: 404, body: { error: 'not found' } }
  );
}

function status(
  { idp, model, tools, dns: _dns, site: _site, ...others }: Parts,
  { gatewayUrl, toolServerUrl }: SandboxSettings,
): Record<string, unknown> {
  const addresses = {
    ...mapFakes((_fake, name) => others[name]?.url),
    idp: idp?.url,
    model: model?.url,
    tools: tools?.url,
  };
  const suggestions = toolServerUrl === undefined ? showcases : [...showcases, toolServerShowcase];
  const page = { people: chatPeople, showcases: model === undefined ? [] : suggestions };
  return {
    gatewayUrl,
    ...(toolServerUrl === undefined ? {} : { toolServerUrl }),
    platforms: addresses,
    ...page,
    ...(idp === undefined ? {} : { issuer: idp.issuer, jwksUrl: idp.jwksUrl }),
  };
}

function aboutBot(messenger: FakeMessenger, bot: Bot): Record<string, unknown> {
  const { webhook } = bot;
  return {
    botId: bot.id,
    username: bot.username,
    name: bot.firstName,
    isConnected: webhook !== undefined || messenger.polls.isAsked(bot),
    pendingUpdates: messenger.pending(bot),
    commands: bot.commands,
    lastError: webhook?.lastErrorMessage ?? null,
  };
}

/** Sets a bot's username and name before Botyard requests them. They default to `bot<id>`. */
function nameBot({ messenger }: Platforms, body: Record<string, unknown>): Answer {
  const { token, username, name } = body;
  if (messenger === undefined)
    return { status: 404, body: { error: 'the sandbox messenger is not running' } };
  const isName = typeof username === 'string' && /^\w{3,32}$/.test(username);
  if (typeof token !== 'string' || !tokenShape.test(token) || !isName) {
    return { status: 400, body: { error: 'send { token: "123456:any-secret", username, name? }' } };
  }
  const firstName = typeof name === 'string' && name !== '' ? name.slice(0, 64) : username;
  const existingBot = messenger.bots.find((bot) => bot.token === token);
  const bot = existingBot ?? messenger.addBot({ token, username, firstName });
  Object.assign(bot, { username, firstName });
  messenger.emit({ type: 'bot', botId: bot.id });
  return { status: existingBot === undefined ? 201 : 200, body: aboutBot(messenger, bot) };
}

/** Returns the fields of a bot's login widget for a person, signed as the platform signs them. */
function login({ messenger }: Platforms, body: Record<string, unknown>): Answer {
  const { bot: name, id, name: firstName } = body;
  const bot = messenger?.bots.find((one) => one.username === name || one.id === name);
  if (bot === undefined || !Number.isSafeInteger(id) || Number(id) <= 0 || typeof firstName !== 'string')
    return { status: 400, body: { error: 'send { bot: "its username", id: 7, name: "Sam" }' } };
  return { status: 201, body: signLogin(bot.token, { id: Number(id), first_name: firstName }) };
}

/** Returns a session token for manual requests, for one of the people at `/people` or any other user. */
async function sessionToken({ idp }: Platforms, body: Record<string, unknown>): Promise<Answer> {
  if (idp === undefined)
    return { status: 404, body: { error: 'the sandbox identity provider is not running' } };
  const { userId = 'user_sandbox' } = body;
  if (typeof userId !== 'string' || !/^[\w-]{1,100}$/.test(userId))
    return {
      status: 400,
      body: { error: 'send { userId: "user_member" }; GET /api/people lists the people' },
    };
  const orgId = typeof body.orgId === 'string' ? body.orgId : undefined;
  const expiresInSeconds = 3600;
  const token = await idp.sessionToken({
    userId,
    ...(orgId === undefined ? {} : { orgId }),
    expiresInSeconds,
  });
  return { status: 201, body: { token, expiresInSeconds } };
}
