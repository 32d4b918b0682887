/** The chat page's files, under a policy that lets nothing in from elsewhere and runs no inline script. */
import { readFile } from 'node:fs/promises';
import { type Handler, sendAnswer } from '@botyard/shared/testing/fake-server';

const files: Record<string, { name: string; type: string }> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/style.css': { name: 'style.css', type: 'text/css; charset=utf-8' },
  '/chat.css': { name: 'chat.css', type: 'text/css; charset=utf-8' },
  ...Object.fromEntries(
    ['app.js', 'view.js', 'safe-html.js'].map((name) => [
      `/${name}`,
      { name, type: 'text/javascript; charset=utf-8' },
    ]),
  ),
};

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

export const servePage: Handler = async (req, res) => {
  const path = new URL(req.url ?? '/', 'http://sandbox.invalid').pathname;
  const file = files[path];
  if (file === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) {
    return sendAnswer(res, { status: 404, body: { error: 'not found' } });
  }
  const content = await readFile(new URL(`./page/${file.name}`, import.meta.url), 'utf8');
  sendAnswer(res, { status: 200, body: content, headers: { ...headers, 'content-type': file.type } });
};
