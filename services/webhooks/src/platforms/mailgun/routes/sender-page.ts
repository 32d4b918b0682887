import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RequestHandler, Router } from 'express';
import { pagePath } from '../domain/senders/invite.ts';

/**
 * The page that a link opens. It is the same for everybody and changes nothing, because scanners open links, too. The
 * token stays after the `#`, in the browser, and only the page's own script sends it to `/api/email-auth`.
 */
export function mountSenderPage(router: Router): void {
  const page = readPage();
  // The failure is reported to a request for the page.
  page.catch(() => undefined);
  router.get(pagePath, servePage(page));
}

interface Page {
  html: string;
  policy: string;
}

const servePage =
  (page: Promise<Page>): RequestHandler =>
  async (_req, res) => {
    const { html, policy } = await page;
    res.set({
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    });
    res.end(html);
  };

const readPart = (name: string) => readFile(new URL(`./page/${name}`, import.meta.url), 'utf8');

/** One document that includes its style and script. The policy allows only these two to run and load. */
async function readPage(): Promise<Page> {
  const [html, style, script] = await Promise.all(['page.html', 'page.css', 'page.js'].map(readPart));
  if (!html || !style || !script) throw new Error('the page of links is not complete');
  return {
    html: html.replace('/*style*/', () => style).replace('/*script*/', () => script),
    policy: [
      `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; connect-src 'self'; img-src data:`,
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ].join('; '),
  };
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
