/** The page's API for the mailer, under `/mail`. Signing keys can be set, but are never returned. */

import type { Answer } from '@botyard/testing/fake/fake-server';
import type { FakeMailer } from '@botyard/testing/fake-mailer';
import type { MailEntry } from '@botyard/testing/mailer/types';
import { Refusal } from '../chats/actions.ts';
import type { ApiRequest } from '../chats/routes.ts';
import { mailPeople } from './people.ts';
import { listOfPieces } from './pieces.ts';
import { write } from './write.ts';

const maxShown = 500;
const addressShape = /^(\*|[^\s@<>,]+@[^\s@<>,]+)$/;

/** Returns `undefined` if the path is not one of the mailer. */
export function answerMail(mailer: FakeMailer | undefined, request: ApiRequest): Answer | undefined {
  const [, entryId, action] =
    /^\/mail(?:\/(\d{1,9})\/(html|bounce|auto-reply)|\/routes)?$/.exec(request.path) ?? [];
  if (!request.path.startsWith('/mail') || request.path === '/mails') return undefined;
  if (mailer === undefined) return { status: 404, body: { error: 'the sandbox mailer is not running' } };
  try {
    const { method, path, body } = request;
    if (path === '/mail' && method === 'GET') return { status: 200, body: everything(mailer) };
    if (path === '/mail' && method === 'POST') return { status: 201, body: write(mailer, body) };
    if (path === '/mail/routes' && method === 'POST') return addRoute(mailer, body);
    if (entryId === undefined) return undefined;
    const entry = mailer.threads.find(Number(entryId));
    if (entry === undefined) return { status: 404, body: { error: 'no such email' } };
    if (action === 'html' && method === 'GET') return htmlOf(entry);
    if (method !== 'POST') return { status: 405, body: { error: 'the method must be GET or POST' } };
    return { status: 201, body: react(mailer, entry, action) };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { error: error.message } };
    throw error;
  }
}

function everything(mailer: FakeMailer): Record<string, unknown> {
  return {
    people: mailPeople,
    pieces: listOfPieces,
    bots: mailer.routes.all.map(({ address }) => address).filter((address) => address !== '*'),
    bouncing: [...mailer.bouncing],
    entries: mailer.threads.all.slice(-maxShown),
  };
}

function addRoute(mailer: FakeMailer, { address, url, signingKey }: Record<string, unknown>): Answer {
  const isRoute = typeof address === 'string' && addressShape.test(address);
  const isUrl = typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url);
  if (!isRoute || !isUrl || !(signingKey === undefined || typeof signingKey === 'string'))
    throw new Refusal(400, 'send { address, url, signingKey? }; the address * matches every other one');
  mailer.addRoute({ address, url, signingKey });
  return { status: 201, body: { address, url } };
}

function react(mailer: FakeMailer, entry: MailEntry, action: string | undefined): Record<string, unknown> {
  if (entry.direction !== 'out')
    throw new Refusal(409, "only the bot's emails can bounce or get an automatic reply");
  const name = mailPeople.find(({ address }) => address === entry.to)?.name ?? '';
  const { entry: written } = action === 'bounce' ? mailer.bounce(entry) : mailer.autoReply(entry, name);
  return { entryId: written.entryId, threadId: written.threadId };
}

/** Returns an email's HTML under a policy that runs and fetches nothing. Links open in a new window. */
function htmlOf({ html }: MailEntry): Answer {
  const policy =
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";
  return {
    status: 200,
    body: `<!doctype html><meta charset="utf-8"><base target="_blank">${html ?? ''}`,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  };
}
