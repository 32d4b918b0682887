/**
 * The files of the pages, under a policy that lets nothing in from elsewhere and runs no inline script. Only the site
 * also gets what a tenant's site needs for the web chat.
 */
import { readdir, readFile } from 'node:fs/promises';
import { type Handler, sendAnswer } from '@botyard/testing/fake/fake-server';
import type { SandboxSettings } from './settings.ts';

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

interface Page {
  /** In the links at the head of every page. */
  link: string;
  title: string;
  about: string;
  /** The drawing of its icon, as parts of an SVG. */
  icon: string;
  styles: readonly string[];
  /** The name of its two files: its script, and its body. */
  name: string;
}

const bubble = "<path d='M8 10h16v10H15l-5 4v-4H8z' fill='white'/>";

const pages: Readonly<Record<string, Page>> = {
  '/': {
    link: 'Messenger',
    title: 'Botyard sandbox',
    about: 'A messenger on this machine only',
    icon: bubble,
    styles: ['frame', 'chat-list', 'message', 'rich-text', 'media', 'compose'],
    name: 'app',
  },
  '/mail': {
    link: 'Mail',
    title: 'Mail – Botyard sandbox',
    about: 'Mail on this machine only',
    icon:
      "<path d='M7 10h18v12H7z' fill='white'/>" +
      "<path d='m7 11 9 6 9-6' fill='none' stroke='#2f6fed' stroke-width='2'/>",
    styles: ['frame', 'chat-list', 'media', 'mail', 'compose'],
    name: 'mail/mail',
  },
  '/workspace': {
    link: 'Slack',
    title: 'Slack – Botyard sandbox',
    about: 'A Slack workspace on this machine only',
    icon: "<path d='M13 7v18M19 7v18M7 13h18M7 19h18' stroke='white' stroke-width='2.5'/>",
    styles: ['frame', 'chat-list', 'message', 'compose', 'slack'],
    name: 'workspace/workspace',
  },
  '/phone': {
    link: 'WhatsApp',
    title: 'WhatsApp – Botyard sandbox',
    about: 'The phones of two people, on this machine only',
    icon: "<path d='M11 9c1 8 4 11 12 12l2-4-4-2-2 2c-3-1-4-2-5-5l2-2-2-4z' fill='white'/>",
    styles: ['frame', 'chat-list', 'message', 'compose', 'phone'],
    name: 'phone/phone',
  },
  '/site': {
    link: 'Web site',
    title: 'Harbour Kettles – Botyard sandbox',
    about: 'A site that shows the web chat, on this machine only',
    icon:
      "<path d='M9 12h12v8a4 4 0 0 1-4 4h-4a4 4 0 0 1-4-4zM21 14h3v4h-3zM13 8h4'" +
      " stroke='white' stroke-width='2' fill='none'/>",
    styles: ['frame', 'site'],
    name: 'site/site',
  },
  '/people': {
    link: 'People',
    title: 'People – Botyard sandbox',
    about: 'People who sign in, on this machine only',
    icon: bubble,
    styles: ['frame', 'chat-list', 'people'],
    name: 'people/people',
  },
  '/tool-server': {
    link: 'Tool server',
    title: 'Tool server – Botyard sandbox',
    about: 'An MCP server to try tools with, on this machine only',
    icon: bubble,
    styles: ['frame', 'chat-list', 'people', 'tool-server'],
    name: 'tool-server/tool-server',
  },
};
const folder = new URL('./page/', import.meta.url);

/** The scripts and styles. A name that comes from a request is never a path: it has to be one of these. */
const listFiles = async (): Promise<ReadonlySet<string>> =>
  new Set((await readdir(folder, { recursive: true })).filter((name) => /\.(?:js|css)$/.test(name)));

/** A whole page around its body. Its first words, its links and the switch of its colors are the same everywhere. */
function documentOf(path: string, body: string, { toolServerUrl }: PageSettings): string {
  const { title, about, icon, styles, name } = pages[path]!;
  const links = Object.entries(pages)
    .filter(([to]) => to !== '/tool-server' || toolServerUrl !== undefined)
    .map(([to, { link }]) => `<a href="${to}"${to === path ? ' aria-current="page"' : ''}>${link}</a>`);
  const ground = "<rect width='32' height='32' rx='9' fill='#2f6fed'/>";
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>${ground}${icon}</svg>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(svg)}" />
    ${styles.map((style) => `<link rel="stylesheet" href="/styles/${style}.css" />`).join('\n    ')}
    <script type="module" src="/${name}.js"></script>
  </head>
  ${body.replace(
    '<!-- top -->',
    `<header class="sidebar-head">
      <div class="who">
        <h1>Botyard sandbox</h1>
        <p>${about}</p>
      </div>
      <button id="theme" class="icon" type="button" aria-label="Toggle dark mode" title="Toggle dark mode">◐</button>
    </header>
    <div class="pages">${links.join('')}</div>`,
  )}
</html>
`;
}

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

export const createPages = (settings: PageSettings): Handler => {
  const files = listFiles();
  return async (req, res) => {
    const path = new URL(req.url ?? '/', 'http://sandbox.invalid').pathname;
    const page = pages[path];
    const name = page ? `${page.name}.html` : path.slice(1);
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!isRead || (!page && !(await files).has(name)))
      return sendAnswer(res, { status: 404, body: { error: 'not found' } });
    const content = await readFile(new URL(name, folder), 'utf8');
    sendAnswer(res, {
      status: 200,
      body: page ? documentOf(path, content, settings) : content,
      headers: {
        ...headers,
        'content-security-policy': path === '/site' ? policyOfSite(settings.gatewayUrl) : policy,
        'content-type': types[name.split('.').at(-1) ?? ''] ?? 'text/plain',
      },
    });
  };
};
