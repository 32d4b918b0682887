import { withTenant } from '@botyard/shared/db/database';
import { networkOf } from '@botyard/shared/http/client-address';
import { forbidden, notFound, unauthorized } from '@botyard/shared/http/errors';
import { sendDownload } from '@botyard/shared/http/send-download';
import { sendEvents } from '@botyard/shared/http/send-events';
import type { Request, RequestHandler, Response, Router } from 'express';
import { clientAddress, writtenAddress } from '../../../admission/routes/client-address.ts';
import type { Deps } from '../deps.ts';
import { connector, type WebchatEndpoint } from '../domain/connection.ts';
import { rateAnswer } from '../domain/rate-answer.ts';
import { noteRead } from '../domain/read-marks.ts';
import { receiveMessage, removeMessage } from '../domain/receive-message.ts';
import { Shares, takeOrWait } from '../domain/shares.ts';
import { StreamShares } from '../domain/stream-shares.ts';
import { findFileOfStaff } from '../store/messages.ts';
import type { Visitor } from '../store/visitors.ts';
import { allowOrigin, findEndpoint } from './allow-origin.ts';
import {
  AddressBody,
  DeletionBody,
  EndBody,
  FileBody,
  MessageBody,
  RatingBody,
  readBody,
  StreamBody,
} from './read-body.ts';

/** Messages of a visitor, and their ratings: faster than a person writes or presses. */
const ofVisitor = { burst: 10, intervalMs: 2000 };

/** Links to addresses that visitors name: so many at once, and then one in each interval. */
const linksOfVisitor = { burst: 3, intervalMs: 20 * 60_000 };
const linksOfAddress = { burst: 10, intervalMs: 6 * 60_000 };

/** The requests of windows, beneath `/webhooks/webchat`: all of them are POST, with plain text. */
export function mountWebchat(router: Router, deps: Deps): void {
  const streams = new StreamShares();
  const messages = new Shares(ofVisitor);
  router.post('/:botId/messages', postMessage(deps, messages));
  router.post('/:botId/stream', openStream(deps, streams));
  router.post('/:botId/deletions', deleteMessage(deps));
  router.post('/:botId/ratings', rateMessage(deps));
  router.post('/:botId/files', downloadFile(deps));
  router.post('/:botId/address', requestMail(deps));
  router.post('/:botId/end', endSession(deps));
}

/** The integration whose page asks. @throws HttpError 403, 404. */
async function enter(deps: Deps, req: Request, res: Response): Promise<WebchatEndpoint> {
  const endpoint = await findEndpoint(deps, req);
  if (!endpoint) throw notFound('bot');
  allowOrigin(req, res, endpoint, new URL(deps.publicBaseUrl).origin);
  return endpoint;
}

function postMessage(deps: Deps, shares: Shares): RequestHandler {
  return async (req, res) => {
    const endpoint = await enter(deps, req, res);
    const { line, rest } = await readBody(req, MessageBody);
    if (!endpoint.isEnabled) throw forbidden('this chat is switched off');
    const introduction = { ...line, startId: line.startId ?? line.clientId };
    const session = await deps.sessions.findOrBegin(endpoint, introduction, networkOf(writtenAddress(req)));
    if ('challenge' in session) {
      res.json({ outcome: 'work', ...session });
      return;
    }
    const { visitor, token } = session;
    takeOrWait(shares, visitor.visitorId);
    const reception = line.file && deps.spool.receive({ address: clientAddress(req) });
    try {
      const file = line.file && reception && { ...line.file, content: await reception.keep(rest) };
      const message = await receiveMessage(deps, endpoint, visitor, { sent: line, file });
      await noteRead(deps, endpoint, visitor, line.readTo);
      res.json({ outcome: 'sent', message, ...(token === undefined ? {} : { token }) });
    } finally {
      await reception?.dispose();
    }
  };
}

/**
 * Sends a window the messages that it has missed, and from then on everything as it happens. A visitor who has not
 * written has no session and costs no stream: 204.
 */
function openStream(deps: Deps, streams: StreamShares): RequestHandler {
  return async (req, res) => {
    const endpoint = await enter(deps, req, res);
    const { line } = await readBody(req, StreamBody);
    const session = await deps.sessions.find(endpoint, line);
    if (!session) {
      res.status(204).end();
      return;
    }
    const { visitor, token } = session;
    const { tenantId, visitorId } = visitor;
    await noteRead(deps, endpoint, visitor, line.readTo);
    const hasMail = await hasAddress(deps, endpoint, visitor);
    const release = streams.open({ tenantId, visitorId, address: networkOf(writtenAddress(req)) });
    // The share of the tenant at the gateway.
    res.locals.admitted = { tenantId };
    sendEvents(req, res, 200, {
      open: ({ send }) => {
        const tell = (event: string, data: unknown) =>
          send(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
        tell('ready', { ...(token === undefined ? {} : { token }), readTo: visitor.readTo, hasMail });
        const close = deps.streams.add({ tenantId, visitorId, after: line.after, send: tell });
        return () => {
          close();
          release();
        };
      },
    });
  };
}

function deleteMessage(deps: Deps): RequestHandler {
  return async (req, res) => {
    const endpoint = await enter(deps, req, res);
    const { line } = await readBody(req, DeletionBody);
    const session = await deps.sessions.find(endpoint, line);
    if (!session) throw unauthorized();
    await removeMessage(deps, endpoint, session.visitor, line.messageId);
    res.json({ outcome: 'deleted' });
  };
}

function rateMessage(deps: Deps): RequestHandler {
  const ratings = new Shares(ofVisitor);
  return async (req, res) => {
    const endpoint = await enter(deps, req, res);
    const { line } = await readBody(req, RatingBody);
    if (!endpoint.isEnabled || !endpoint.offersThumbs) throw forbidden('this chat takes no ratings');
    const session = await deps.sessions.find(endpoint, line);
    if (!session) throw unauthorized();
    takeOrWait(ratings, session.visitor.visitorId);
    await rateAnswer(deps, endpoint, session.visitor, line);
    res.json({ outcome: 'rated' });
  };
}

/** A file of staff, for the visitor whom it was sent to, and never as a page of ours. */
function downloadFile(deps: Deps): RequestHandler {
  return async (req, res) => {
    const endpoint = await enter(deps, req, res);
    const { line } = await readBody(req, FileBody);
    const session = await deps.sessions.find(endpoint, line);
    if (!session) throw unauthorized();
    const { tenantId, visitorId } = session.visitor;
    const message = { tenantId, visitorId, messageId: line.messageId };
    const file = await withTenant(deps.database, [tenantId], (tx) => findFileOfStaff(tx, message));
    const content = file?.objectKey === undefined ? null : await deps.objects.get(file.objectKey);
    if (!file || !content) throw notFound('file');
    const { mediaType: contentType = 'application/octet-stream', sizeBytes, name: fileName } = file;
    await sendDownload(res, 200, { content, contentType, sizeBytes, fileName });
  };
}

async function hasAddress(
  deps: Deps,
  { offersMail }: WebchatEndpoint,
  { tenantId, visitorId }: Visitor,
): Promise<boolean> {
  const chatMails = offersMail ? deps.chatMails() : undefined;
  if (!chatMails) return false;
  return await withTenant(deps.database, [tenantId], (tx) =>
    chatMails.hasAddress(tx, { tenantId, platformChatId: visitorId }),
  );
}

/** The answer is the same for every address, so that nobody learns which ones exist or are known. */
function requestMail(deps: Deps): RequestHandler {
  const requests = { ofVisitor: new Shares(linksOfVisitor), ofAddress: new Shares(linksOfAddress) };
  return async (req, res) => {
    const endpoint = await enter(deps, req, res);
    const { line } = await readBody(req, AddressBody);
    const session = await deps.sessions.find(endpoint, line);
    if (!session) throw unauthorized();
    const { tenantId, botId } = endpoint;
    const { visitorId, language } = session.visitor;
    takeOrWait(requests.ofVisitor, visitorId);
    takeOrWait(requests.ofAddress, networkOf(writtenAddress(req)));
    const chat = { tenantId, botId, platform: connector.name, platformChatId: visitorId };
    if (endpoint.isEnabled && endpoint.offersMail)
      await deps.chatMails()?.requestLink(chat, { address: line.address, language });
    res.json({ outcome: 'requested' });
  };
}

/** The visitor signs out: nobody after them at this browser sees their messages. */
function endSession(deps: Deps): RequestHandler {
  return async (req, res) => {
    const endpoint = await enter(deps, req, res);
    const { line } = await readBody(req, EndBody);
    await deps.sessions.end(endpoint, line.token);
    res.json({ outcome: 'ended' });
  };
}
