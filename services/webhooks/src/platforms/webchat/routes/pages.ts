import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { webchatLimits } from '@botyard/contracts/platforms/webchat';
import { notFound } from '@botyard/shared/http/errors';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { Deps } from '../deps.ts';
import type { WebchatEndpoint } from '../domain/connection.ts';
import { allowOrigin, findEndpoint } from './allow-origin.ts';

const folder = new URL('../widget/', import.meta.url);

interface WidgetFile {
  text: Buffer;
  gzip: Buffer;
}

/** The files of the widget, which name each other, and a name for all of them together. */
interface Widget {
  version: string;
  files: ReadonlyMap<string, WidgetFile>;
}

function readWidget(): Widget {
  const names = readdirSync(folder)
    .filter((name) => /\.(js|html)$/.test(name))
    .toSorted();
  const texts = names.map((name) => [name, readFileSync(new URL(name, folder))] as const);
  const hash = createHash('sha256');
  for (const [name, text] of texts) hash.update(name).update(text);
  const version = hash.digest('hex').slice(0, 16);
  const files = texts.map(([name, text]) => {
    const named = Buffer.from(text.toString().replace('__VERSION__', version));
    return [name, { text: named, gzip: gzipSync(named, { level: 9 }) }] as const;
  });
  return { version, files: new Map(files) };
}

function sendText(req: Request, res: Response, { text, gzip }: WidgetFile): void {
  res.vary('Accept-Encoding');
  const isCompressed = req.acceptsEncodings('gzip') === 'gzip';
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  res.end(isCompressed ? gzip : text);
}

/**
 * The script of the web chat, its other files, the hosted page, and the preview of the console. The script is small
 * and names the version of the files that it loads, which browsers keep for good.
 */
export function mountPages(router: Router, deps: Deps): void {
  const widget = readWidget();
  const preview = String(widget.files.get('preview.html')?.text);
  router.get('/chat.js', sendScript(widget));
  router.get('/chat/:version/:file', sendFile(widget));
  router.get('/chat/:botId/settings.json', sendSettings(deps));
  router.get('/chat/preview', (_req, res) => sendHtml(res, preview, []));
  router.get('/chat/:botId', sendPage(deps, widget));
}

const scriptType = 'text/javascript; charset=utf-8';
const shortly = 'public, max-age=300';
const forGood = 'public, max-age=31536000, immutable';

function sendScript({ version, files }: Widget): RequestHandler {
  const script = files.get('chat.js')!;
  const etag = `"${version}"`;
  return (req, res) => {
    res.set({ 'content-type': scriptType, 'cache-control': shortly, etag });
    if (req.headers['if-none-match'] === etag) res.status(304).end();
    else sendText(req, res, script);
  };
}

/** Any page may load the modules, which hold no data. A module is loaded with CORS, the answer names the page alone. */
function sendFile({ version, files }: Widget): RequestHandler {
  return (req, res, next) => {
    const { version: wanted, file: name = '' } = req.params;
    const content = /^[a-z-]+\.js$/.test(String(name)) ? files.get(String(name)) : undefined;
    if (!content) return next();
    res.set({
      'content-type': scriptType,
      // While versions change, a page may get the files of another version once.
      'cache-control': wanted === version ? forGood : 'no-store',
      'cross-origin-resource-policy': 'cross-origin',
    });
    res.vary('Origin');
    if (req.headers.origin) res.setHeader('Access-Control-Allow-Origin', req.headers.origin);
    sendText(req, res, content);
  };
}

async function requireChat(deps: Deps, req: Request): Promise<WebchatEndpoint> {
  const endpoint = await findEndpoint(deps, req);
  if (!endpoint?.isEnabled) throw notFound('chat');
  return endpoint;
}

/** The settings with which a page shows the button and the window. */
function sendSettings(deps: Deps): RequestHandler {
  const ownOrigin = new URL(deps.publicBaseUrl).origin;
  return async (req, res) => {
    const endpoint = await requireChat(deps, req);
    // The hosted page asks its own origin, and a browser doesn't name that.
    if (req.headers.origin === undefined) res.vary('Origin');
    else allowOrigin(req, res, endpoint, ownOrigin);
    res.setHeader('Cache-Control', 'public, max-age=60');
    const { theme, words, hours, offersMail, offersThumbs: thumbs } = endpoint;
    const { textLength, fileBytes } = webchatLimits;
    const mail = offersMail && (await deps.chatMails()?.canMail(endpoint)) === true;
    res.json({ theme, words, hours, mail, thumbs, limits: { textLength, fileBytes } });
  };
}

function sendPage(deps: Deps, { files }: Widget): RequestHandler {
  const page = String(files.get('page.html')?.text);
  return async (req, res) => {
    const { allowedOrigins } = await requireChat(deps, req);
    sendHtml(res, page.replaceAll('__BOT__', String(req.params.botId).toLowerCase()), [...allowedOrigins]);
  };
}

function sendHtml(res: Response, html: string, framers: readonly string[]): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors 'self' ${framers.join(' ')}`.trim(),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  res.set({
    'content-security-policy': policy,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=()',
  });
  res.end(html);
}
