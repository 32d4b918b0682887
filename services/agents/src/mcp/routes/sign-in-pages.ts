import { createHash } from 'node:crypto';
import type { Ending } from '../domain/complete-sign-in.ts';

interface Words {
  status: number;
  title: string;
  text: string;
}

const again = 'Nothing was stored. Open the server in the console and sign in again.';

/** Each ending in words, with what to do next. */
function wordsOf(ending: Ending): Words {
  switch (ending.ending) {
    case 'signed in':
      return {
        status: 200,
        title: 'Signed in',
        text: 'Go back to the console and read the tools of the server.',
      };
    case 'cancelled':
      return {
        status: 200,
        title: 'Nothing was stored',
        text: 'The sign-in was cancelled. You can begin again.',
      };
    case 'changed':
      return { status: 409, title: 'The server was changed meanwhile', text: again };
    case 'not allowed':
      return {
        status: 403,
        title: 'You may not sign in to this server',
        text: 'You are no longer an admin of the tenant. Nothing was stored.',
      };
    case 'refused':
      return {
        status: 422,
        title: 'The sign-in was refused',
        text: `${again} The reason: ${ending.reason}.`,
      };
    case 'no answer':
      return {
        status: 503,
        title: 'There is no usable answer',
        text: `${again} The reason: ${ending.reason}.`,
      };
    case 'unknown':
      return {
        status: 403,
        title: "This sign-in can't be completed",
        text:
          'It was begun in another browser or under another address, more than ten minutes ago, or it is over ' +
          'already. Open the server in the console, in this browser, and sign in again.',
      };
    case 'unreadable':
      return {
        status: 400,
        title: "This address isn't complete",
        text: 'It is not an address to which an authorization server sends people. Begin again in the console.',
      };
  }
}

const style =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}';

/** The page has no scripts, and loads nothing. */
export const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page that a person sees in the end, with its status. No text of it is a stranger's. */
export function pageOf(ending: Ending): { status: number; html: string } {
  const { status, title, text } = wordsOf(ending);
  const path = 'serverId' in ending ? `/agents/servers/${ending.serverId}` : '/agents/servers';
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="${path}">Back to the console</a></p>
</main>
</html>
`;
  return { status, html };
}
