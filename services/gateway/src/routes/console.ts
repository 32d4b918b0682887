import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type ConsoleConfig, ConsolePerson, ConsoleSessionBody } from '@botyard/contracts/console';
import { consolePages, consolePaths } from '@botyard/contracts/console-paths';
import { badRequest, HttpError, notFound } from '@botyard/shared/http/errors';
import { jsonBody, refuseEncoded } from '@botyard/shared/http/json-body';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Deps } from '../deps.ts';
import { type Console, consolePolicy } from '../domain/console.ts';
import { isUnder } from '../domain/request-target.ts';

const waitingFile = new URL('../console/waiting.html', import.meta.url);
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
/** The build names every file by its content, in lower case, because the gateway reads paths in lower case. */
const fileName = /^[a-z0-9-]+\.(js|css|svg)$/;
const endings = { br: '.br', gzip: '.gz' } as const;

/** Whether the path is the console's page itself, or below it. */
export const isConsole = (path: string): boolean =>
  path === '' || isUnder(path, '/console') || consolePages.some((page) => isUnder(path, `/${page}`));

/** `GET /` and the console's paths: its page, its files, and its requests before sign-in. */
export function answerConsole(deps: Deps): RequestHandler {
  const router = Router();
  router.use((req, res, next) => {
    const path: string = res.locals.path;
    if (!isConsole(path)) return next('router');
    if (path === consolePaths.session || req.method === 'GET' || req.method === 'HEAD') return next();
    res.setHeader('Allow', 'GET, HEAD');
    throw new HttpError(405, 'this path can only be read');
  });
  router.use(answerConsolePeople(deps));
  router.get(consolePaths.config, (_req, res) => {
    const { isDevelopment, publishableKey, externalTools, sandboxUrl } = deps.console;
    const idp = publishableKey === null ? {} : { publishableKey };
    const { version } = deps.instance;
    res.json({
      developmentMode: isDevelopment,
      idp,
      externalTools,
      sandboxUrl,
      version,
    } satisfies ConsoleConfig);
  });
  router.use(async (req, res) => {
    const path: string = res.locals.path;
    req.route = { path: '/' };
    if (!isUnder(path, '/console')) return await sendPage(res, deps.console);
    const name = isUnder(path, consolePaths.files) ? path.slice(consolePaths.files.length + 1) : '';
    if (!fileName.test(name)) throw notFound('path');
    await sendFile(req, res, join(deps.console.folder, 'assets', name));
  });
  return router;
}

/**
 * Whether a person followed a link that leads nowhere: a page that is asked for as HTML, outside the API and the
 * webhooks. Programs get the error as JSON.
 */
export const isLostReader = ({ method, headers }: IncomingMessage, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  !isUnder(path, '/api') &&
  !isUnder(path, '/webhooks') &&
  (headers.accept?.includes('text/html') ?? false);

/** Answers a lost reader with the console's page, which says so, and status 404. */
export async function answerLostReader(res: ServerResponse, deps: Deps): Promise<void> {
  res.statusCode = 404;
  await sendPage(res, deps.console);
}

const readIfThere = async (place: string): Promise<Buffer | null> => await readFile(place).catch(() => null);

/** Never cached, because it names the files of the current build. Before the first build it says so. */
async function sendPage(res: ServerResponse, { folder, publishableKey }: Console): Promise<void> {
  const page = await readIfThere(join(folder, 'index.html'));
  res.setHeader('Content-Security-Policy', consolePolicy(publishableKey));
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.end(page ?? (await readFile(waitingFile)));
}

async function sendFile(req: Request, res: Response, place: string): Promise<void> {
  // One at a time: of several that a browser accepts alike, Express takes the one that the browser names first.
  const encoding = (['br', 'gzip'] as const).find((one) => req.acceptsEncodings(one));
  const packed = encoding ? await readIfThere(`${place}${endings[encoding]}`) : null;
  const content = packed ?? (await readIfThere(place));
  if (!content) throw notFound('path');
  if (packed && encoding) res.setHeader('Content-Encoding', encoding);
  res.setHeader('Vary', 'Accept-Encoding');
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  res.setHeader('Content-Type', types[place.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
  res.end(content);
}

/**
 * In development mode only, and for requests of this machine only: the sandbox's people, and a session as one of them.
 */
function answerConsolePeople({ authenticator, console: { sandbox } }: Deps): Router {
  const router = Router();
  const admit: express.RequestHandler = (req, _res, next) => {
    if (!sandbox) throw notFound('path');
    const admitted = authenticator.withoutToken(req);
    if (admitted instanceof HttpError) throw admitted;
    next();
  };
  router.get(consolePaths.people, admit, async (_req, res) => {
    const people = (await sandbox?.listPeople()) ?? [];
    res.json(people.map((person) => ConsolePerson.parse(person)));
  });
  router.post(
    consolePaths.session,
    admit,
    refuseEncoded,
    ...jsonBody({ maxBodyBytes: 1024 }),
    async (req, res) => {
      const { success, data } = ConsoleSessionBody.safeParse(req.body);
      if (!success) throw badRequest('send { "userId": "…" } of one of the people as JSON');
      const isKnown = (await sandbox?.listPeople())?.some(({ userId }) => userId === data.userId);
      if (!isKnown) throw notFound('person');
      res.status(201).json(await sandbox?.openSession(data.userId));
    },
  );
  return router;
}
