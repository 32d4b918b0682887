import { badRequest, notFound, unauthorized } from '@botyard/shared/http/errors';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import type { Endpoint, Inbound, InboundRequest } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { type Receiver, receiveBody } from '../domain/receive-body.ts';
import type { TimeBudget } from './time-budget.ts';

/** The findings of a request's earlier handlers. */
interface Locals {
  /** The integration at whose own address the request arrived. */
  endpoint?: Endpoint;
  /** The accounts that the body is for, at the address of one app for many tenants. */
  accountIds?: readonly string[];
}

/** The addresses of a platform: that of each integration, and that of one app for many tenants if it has one. */
export function mountReceiver(app: Express, deps: Deps, receiver: Receiver, budget: TimeBudget): void {
  const { inbound, platform } = receiver;
  const verifies = budget.within(verifySender(deps, inbound));
  const handlers = [
    ...(inbound.verifiedBy === 'headers' ? [verifies] : []),
    budget.pause,
    express.raw({ limit: inbound.maxBytes, type: () => true, inflate: false }),
    budget.resume,
    ...(inbound.verifiedBy === 'body' ? [verifies] : []),
    budget.within(receive(deps, receiver)),
  ];
  for (const method of inbound.methods ?? ['POST']) {
    const route = method === 'GET' ? app.get.bind(app) : app.post.bind(app);
    route(`/webhooks/${platform.name}/:botId`, budget.within(findEndpoint(deps, inbound)), ...handlers);
    if (inbound.hasAppAddress) route(`/webhooks/${platform.name}`, ...handlers);
  }
}

function findEndpoint({ endpoints }: Deps, inbound: Inbound): RequestHandler {
  return async (req, res, next) => {
    const { botId } = req.params;
    if (!z.uuid().safeParse(botId).success) throw notFound('bot');
    const endpoint = await endpoints.find(inbound.connector, String(botId).toLowerCase());
    if (!endpoint) throw notFound('bot');
    localsOf(res).endpoint = endpoint;
    next();
  };
}

function verifySender({ deliveriesCounted }: Deps, inbound: Inbound): RequestHandler {
  return async (req, res, next) => {
    const locals = localsOf(res);
    const verdict = await inbound.verify(toInboundRequest(req), locals.endpoint);
    if (verdict.outcome === 'refused') {
      deliveriesCounted.inc({ verdict: 'refused', reason: verdict.reason });
      throw unauthorized(`the delivery was refused: ${verdict.reason}`);
    }
    if (verdict.outcome === 'answered') {
      deliveriesCounted.inc({ verdict: 'ignored', reason: 'challenge' });
      return answer(res, verdict.status, verdict);
    }
    if (req.method !== 'POST') throw notFound('challenge');
    if (verdict.accountIds) locals.accountIds = verdict.accountIds;
    next();
  };
}

const toInboundRequest = (req: Request): InboundRequest => ({
  method: req.method === 'POST' ? 'POST' : 'GET',
  url: req.originalUrl,
  headers: req.headers,
  rawBody: bytesOf(req),
});

const noBytes = Buffer.alloc(0);
const bytesOf = (req: Request): Uint8Array => (Buffer.isBuffer(req.body) ? req.body : noBytes);
const localsOf = (res: Response): Locals => res.locals as Locals;

const emptyObject = { contentType: 'application/json', body: '{}' };

/** The answer never repeats anything from the delivery: the platform would interpret a `method` in it as a call. */
function receive(deps: Deps, receiver: Receiver): RequestHandler {
  return async (req, res) => {
    const bytes = bytesOf(req);
    const endpoints = await findReceivers(deps, receiver.inbound, localsOf(res));
    const body = { bytes, contentType: req.headers['content-type'] };
    const received = await receiveBody(deps, receiver, endpoints, body);
    for (const { verdict, reason = '' } of received) deps.deliveriesCounted.inc({ verdict, reason });
    if (received.length > 0 && received.every(({ verdict }) => verdict === 'malformed'))
      throw badRequest('the body is not a delivery of the platform');
    if (!res.headersSent) answer(res, 200, receiver.inbound.answer?.(bytes) ?? emptyObject);
  };
}

/** The integrations that a verified body is for. An account without one is counted. */
async function findReceivers(
  { endpoints, deliveriesCounted }: Deps,
  { connector }: Inbound,
  { endpoint, accountIds = [] }: Locals,
): Promise<Endpoint[]> {
  if (endpoint) return [endpoint];
  const lookups = await Promise.all(
    [...new Set(accountIds)].map((accountId) => endpoints.findByAccount(connector, accountId)),
  );
  const unknown = lookups.filter((one) => one === null).length;
  if (unknown > 0) deliveriesCounted.inc({ verdict: 'ignored', reason: 'unknown account' }, unknown);
  return lookups.filter((one) => one !== null);
}

/** Doesn't use `send`, which would hash the answer for its ETag. */
function answer(
  res: Response,
  status: number,
  { contentType, body }: { contentType: string; body: string },
): void {
  res.status(status).type(contentType).end(body);
}
