/**
 * The files of the pages, under a policy that lets nothing in from elsewhere and runs no inline script. Only the site
 * also gets what a tenant's site needs for the web chat.
 */
import { readFile } from 'node:fs/promises';
import { type Handler, sendAnswer } from '@botyard/testing/fake/fake-server';
import type { SandboxSettings } from './settings.ts';

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** Named one by one: a name that comes from a request is never a path. */
const names = [
  ...[
    'frame',
    'chat-list',
    'message',
    'rich-text',
    'media',
    'compose',
    'mail',
    'people',
    'slack',
    'phone',
    'site',
    'tool-server',
  ].map((name) => `styles/${name}.css`),
  ...['app.js', 'chat-list.js', 'compose.js', 'dom.js', 'head.js', 'hints.js', 'inline.js', 'media-view.js'],
  ...['message-view.js', 'safe-html.js', 'state.js'],
  ...['mail.js', 'thread-list.js', 'thread-view.js', 'write.js', 'mail-state.js'].map(
    (name) => `mail/${name}`,
  ),
  'people/people.js',
  'phone/phone.js',
  'site/site.js',
  'tool-server/tool-server.js',
  'workspace/workspace.js',
];
const files = new Map([
  ['/', 'index.html'],
  ['/mail', 'mail/mail.html'],
  ['/people', 'people/people.html'],
  ['/phone', 'phone/phone.html'],
  ['/site', 'site/site.html'],
  ['/tool-server', 'tool-server/tool-server.html'],
  ['/workspace', 'workspace/workspace.html'],
  ...names.map((name): [string, string] => [`/${name}`, name]),
]);

/** The links at the head of every page. */
const pages: Readonly<Record<string, string>> = {
  '/': 'Messenger',
  '/mail': 'Mail',
  '/workspace': 'Slack',
  '/phone': 'WhatsApp',
  '/site': 'Web site',
  '/people': 'People',
};
const toolServerPage = { '/tool-server': 'Tool server' };

const linksOn = (path: string, { toolServerUrl }: PageSettings): string =>
  Object.entries({ ...pages, ...(toolServerUrl === undefined ? {} : toolServerPage) })
    .map(([to, title]) => `<a href="${to}"${to === path ? ' aria-current="page"' : ''}>${title}</a>`)
    .join('');

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `docs/connecting.md` names what the web chat needs. */
const policyOfSite = (origin: string): string =>
  `default-src 'none'; script-src 'self' ${origin}; style-src 'self'; connect-src 'self' ${origin}; img-src 'self' data: ${origin}; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

type PageSettings = Pick<SandboxSettings, 'gatewayUrl' | 'toolServerUrl'>;

export const createPages =
  (settings: PageSettings): Handler =>
  async (req, res) => {
    const path = new URL(req.url ?? '/', 'http://sandbox.invalid').pathname;
    const name = files.get(path);
    if (name === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) {
      return sendAnswer(res, { status: 404, body: { error: 'not found' } });
    }
    const content = await readFile(new URL(`./page/${name}`, import.meta.url), 'utf8');
    const type = types[name.split('.').at(-1) ?? ''] ?? 'text/plain';
    sendAnswer(res, {
      status: 200,
      body: content.replace('<!-- pages -->', linksOn(path, settings)),
      headers: {
        ...headers,
        'content-security-policy': path === '/site' ? policyOfSite(settings.gatewayUrl) : policy,
        'content-type': type,
      },
    });
  };
