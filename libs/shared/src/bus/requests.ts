import { setTimeout as pause } from 'node:timers/promises';
import type { RequestType } from '@botyard/contracts/events/definition';
import { errorStatuses } from '@botyard/contracts/http/errors';
import { type Msg, type MsgHdrs, RequestError, TimeoutError } from '@nats-io/transport-node';
import { z } from 'zod';
import { toHttpError } from '../http/error-handler.ts';
import { HttpError, unavailable } from '../http/errors.ts';
import { currentContext, runInContext } from '../tracing/context.ts';
import { inOwnSpan, inSpan } from '../tracing/spans.ts';
import { type Bus, contextOf, traceHeaders } from './bus.ts';
import { parseMessage } from './reading/read-json.ts';
import { keepSubscribed } from './subscribing.ts';

/** Status and text with HTTP's meaning. A status that HttpError doesn't have is a 503. */
const status = z.number().pipe(z.literal(errorStatuses).catch(503));
const Refused = z.object({ error: z.object({ status, message: z.string() }) });
const Reply = z.union([z.object({ ok: z.unknown() }), Refused]);

/** The answering service's reply on the bus. */
export const replyShape = ({ response }: RequestType): z.ZodType =>
  z.union([z.object({ ok: response }), Refused]);

/**
 * Sends a request to another service.
 * @throws HttpError: the one that the answering service threw, or 503 without an answer.
 */
export async function ask<R extends RequestType>(
  bus: Bus,
  type: R,
  data: z.input<R['request']>,
): Promise<z.output<R['response']>> {
  const payload = JSON.stringify(type.request.parse(data));
  return await inSpan(`ask ${type.name}`, { kind: 'client', attributes: spanAttributes(type) }, async () => {
    const message = await send(bus, type, payload).catch((error: unknown) => {
      if (error instanceof TimeoutError || error instanceof RequestError) {
        throw unavailable(`the ${type.owner} service does not answer`, { cause: error });
      }
      throw error;
    });
    const reply = Reply.parse(parseMessage(message));
    if ('error' in reply) throw new HttpError(reply.error.status, reply.error.message);
    return type.response.parse(reply.ok) as z.output<R['response']>;
  });
}

/** Whether a failed request may have had its effect: a process may have received it, and no answer was understood. */
export const mayHaveBeenHeard = (error: unknown): boolean =>
  !(error instanceof HttpError) || error.cause instanceof TimeoutError;

/** The answering service does its work on the share of the request that caused it. */
const shareHeader = 'Botyard-Share';

function withShare(carried: MsgHdrs): MsgHdrs {
  const share = currentContext()?.share;
  if (share !== undefined) carried.set(shareHeader, share);
  return carried;
}

/** The context of an answer, which ends with it. */
async function inContextOf({ headers }: Msg, work: () => Promise<void>): Promise<void> {
  const context = contextOf(headers);
  context.share = headers?.get(shareHeader) || undefined;
  try {
    await runInContext(context, work);
  } finally {
    context.share = undefined;
  }
}

const spanAttributes = ({ name }: RequestType) => ({
  'messaging.system': 'nats',
  'messaging.destination.name': name,
});

const awayPauseMs = 50;

/** Waits while the answering service's only process restarts: no process has received the request yet. */
async function send(bus: Bus, type: RequestType, payload: string): Promise<Msg> {
  for (;;) {
    try {
      return await sendInTime(bus, type, payload);
    } catch (error) {
      const isAway = error instanceof RequestError && error.isNoResponders();
      if (!isAway || !bus.expectedRestarts.isExpectedBack(type.owner)) throw error;
      await pause(awayPauseMs);
    }
  }
}

/**
 * Repeats an unanswered request once, in the second half of its time: in a cluster it may have been routed to a process
 * that had just unsubscribed.
 */
async function sendInTime(bus: Bus, type: RequestType, payload: string): Promise<Msg> {
  const { connection } = bus.live();
  const tries = connection.info?.cluster === undefined ? 1 : 2;
  const once = () =>
    connection.request(bus.names.request(type), payload, {
      timeout: type.timeoutMs / tries,
      headers: withShare(traceHeaders()),
    });
  return await once().catch((error: unknown) => {
    if (tries === 1 || !(error instanceof TimeoutError)) throw error;
    return once();
  });
}

/**
 * Answers a request of any caller on the bus; instances share the load. Unknown errors are answered with 500 and only
 * logged.
 */
export function answer<R extends RequestType>(
  bus: Bus,
  type: R,
  handler: (data: z.output<R['request']>) => Promise<z.input<R['response']>>,
): void {
  const questions = keepSubscribed(bus, bus.names.request(type), {
    queue: bus.service,
    onMessage: (message) => {
      const work = inContextOf(message, () =>
        inOwnSpan(`answer ${type.name}`, { kind: 'server', attributes: spanAttributes(type) }, async () => {
          const reply = await settle(bus, type, handler, () => parseMessage(message));
          message.respond(JSON.stringify(reply));
        }),
      );
      bus.answers(
        work.catch((error: unknown) =>
          bus.log.warn({ err: error, request: type.name }, 'an answer was not sent'),
        ),
      );
    },
  });
  bus.hears(questions);
}

async function settle<R extends RequestType>(
  bus: Bus,
  type: R,
  handler: (data: z.output<R['request']>) => Promise<z.input<R['response']>>,
  read: () => unknown,
): Promise<z.input<typeof Reply>> {
  try {
    return { ok: type.response.parse(await handler(type.request.parse(read()) as z.output<R['request']>)) };
  } catch (error) {
    const { status, message } = toHttpError(error);
    if (status >= 500) bus.log.error({ err: error, request: type.name }, 'a bus request failed');
    return { error: { status, message } };
  }
}
