import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { escapeHtml } from './escape-html.ts';
import { exchangeOf } from './exchange.ts';

/** How something ended that a person did at another server, in words, with what to do next. */
export interface ReturnWords {
  status: number;
  title: string;
  text: string;
}

const style =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}' +
  'button{font:inherit;padding:.6rem 1rem;cursor:pointer}code{font-size:1.5rem;user-select:all}';

/** The page has no scripts, and loads nothing. */
const policyOf = (formAction: "'none'" | "'self'") =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** The next step of a person on a page. */
export type NextStep =
  | { type: 'link'; words: string; href: string }
  /** Posts to the page's own address. */
  | { type: 'button'; words: string }
  /** Leads to another page at once; the link is for browsers that don't follow. */
  | { type: 'go on'; words: string; href: string }
  /** A text to copy. */
  | { type: 'text'; words: string }
  | undefined;

/**
 * Answers with the page for a person whom another server sent back, with a link to a path of the console, which is at
 * the same address. The words may hold what a stranger wrote.
 */
export const sendReturnPage = (res: Response, words: ReturnWords, path: string): void =>
  sendPlainPage(res, words, { type: 'link', words: 'Back to the console', href: path });

/** Answers with a page of a title, paragraphs and one next step. The words may hold what a stranger wrote. */
export function sendPlainPage(res: Response, { status, title, text }: ReturnWords, next?: NextStep): void {
  const goOn =
    next?.type === 'go on' ? `\n<meta http-equiv="refresh" content="0;url=${escapeHtml(next.href)}">` : '';
  const paragraphs = text.split('\n').map((line) => `<p>${escapeHtml(line)}</p>`);
  res.set({
    'content-security-policy': policyOf(next?.type === 'button' ? "'self'" : "'none'"),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // The address holds the code and the state.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  res.status(status).end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>${goOn}
<style>${style}</style>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.join('\n')}
${stepIn(next)}
</main>
</html>
`);
}

function stepIn(next: NextStep): string {
  if (!next) return '';
  const words = escapeHtml(next.words);
  if (next.type === 'button') return `<form method="post"><button>${words}</button></form>`;
  if (next.type === 'text') return `<p><code>${words}</code></p>`;
  return `<p><a href="${escapeHtml(next.href)}">${words}</a></p>`;
}

/** A cookie that binds the way to another server and back to one browser. */
interface BrowserCookie {
  publicBaseUrl: string;
  /** Its names with `https` and without. */
  names: { secure: string; local: string };
}

/** The secret of the browser's cookie. */
export function browserSecretOf(req: Request, { publicBaseUrl, names }: BrowserCookie): string | undefined {
  return exchangeOf(req, req.res!).cookie(publicBaseUrl.startsWith('https:') ? names.secure : names.local);
}

const otherNames: Readonly<Record<string, string>> = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' };

/**
 * The same address under the other name of a developer's machine, where the console may have been opened. `undefined`
 * when there is no other name, the cookie is here, or it was tried before.
 */
export function otherAddressOf(req: Request, cookie: BrowserCookie): string | undefined {
  const url = new URL(cookie.publicBaseUrl);
  const hostname = otherNames[url.hostname];
  if (hostname === undefined || 'again' in req.query || browserSecretOf(req, cookie) !== undefined)
    return undefined;
  url.hostname = hostname;
  url.pathname = req.path;
  url.search = new URL(req.originalUrl, url).search;
  url.searchParams.set('again', 'true');
  return url.href;
}
