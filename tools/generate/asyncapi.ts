import type { EventType, RequestType, SignalType } from '@botyard/contracts/events/definition';
import { createNames } from '@botyard/shared/bus/names';
import { replyShape } from '@botyard/shared/bus/requests';
import { samplesOf } from '@botyard/testing/samples';
import { z } from 'zod';
import type { Catalogue } from './events-page.ts';

type Definition = EventType | RequestType | SignalType;

const names = createNames('botyard');

const description = `Messages between the services over NATS. Events are facts that have been committed in the database of their owner and
published from its outbox. They are delivered at least once and kept for 72 hours in the owner's stream. Requests are
answered by one service. Signals are hints that may be lost. Subjects begin with the namespace of the installation,
which is \`botyard\` unless \`NATS_NAMESPACE\` is set. Within a version, only optional fields may be added.

A response is \`{ "ok": … }\` or \`{ "error": { "status", "message" } }\`, with a status and a message as in HTTP. An invalid
request returns 500. If no service responds within \`x-timeout-ms\`, the caller treats it as 503.

Operations are described from the perspective of the service that owns a message: it sends its events and signals, and
receives requests. \`x-callers\` and \`x-listeners\` list the other services.`;

/** The AsyncAPI 3.1 document of all messages on the bus. */
export function createAsyncapi({ events, requests, signals }: Catalogue) {
  const all: readonly Definition[] = [...events, ...requests, ...signals];
  const schemas: Record<string, unknown> = {};
  const message = messageWriter(schemas);
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Botyard message bus',
      version: '0.1.0',
      description,
      license: { name: 'MIT' },
      tags: [...new Set(all.map(({ owner }) => owner))].map((name) => ({ name })),
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: 'localhost:4222',
        protocol: 'nats',
        description: 'NATS with JetStream. The setting `NATS_URL` configures the address.',
      },
    },
    channels: Object.fromEntries([
      ...events.map((event) => [event.name, eventChannel(event)]),
      ...requests.flatMap((request) => [
        [request.name, channel(names.request(request), request, 'question')],
        [answerOf(request), answerChannel(request)],
      ]),
      ...signals.map((signal) => [signal.name, channel(names.signal(signal), signal, 'signal')]),
    ]),
    operations: Object.fromEntries([
      ...events.map((event) => [`send ${event.name}`, sending(event)]),
      ...requests.map((request) => [`answer ${request.name}`, answering(request)]),
      ...signals.map((signal) => [
        `send ${signal.name}`,
        { ...sending(signal), 'x-listeners': signal.listeners },
      ]),
    ]),
    components: {
      messages: Object.fromEntries([
        ...[...events, ...signals].map((type) => [type.name, message(type, type.schema, examplesOf(type))]),
        ...requests.flatMap((request) => [
          [request.name, message(request, request.request, questionsOf(request))],
          [
            answerOf(request),
            message({ ...request, name: answerOf(request) }, replyShape(request), repliesTo(request)),
          ],
        ]),
      ]),
      schemas,
    },
  };
}

interface Example {
  name: string;
  payload: unknown;
}

const examplesOf = (type: EventType | SignalType): Example[] =>
  samplesOf(type).map(({ title, payload }) => ({ name: title, payload }));
const questionsOf = (request: RequestType): Example[] =>
  samplesOf(request).map(({ title, payload }) => ({ name: title, payload: payload.question }));
const repliesTo = (request: RequestType): Example[] =>
  samplesOf(request).map(({ title, payload }) => ({ name: title, payload: { ok: payload.answer } }));

const answerOf = ({ name }: RequestType) => `${name}.answer`;

function eventChannel(event: EventType) {
  const scope = {
    tenantId: 'The identifier of the tenant, or `_` if there is none.',
    conversationId: 'The identifier of the conversation, or `_` if there is none.',
  };
  return {
    ...channel(names.everyEvent(event).replace('*.*', '{tenantId}.{conversationId}'), event, 'event'),
    parameters: Object.fromEntries(
      Object.entries(scope).map(([name, meaning]) => [name, { description: meaning }]),
    ),
  };
}

function channel(address: string, { name, summary, owner }: Definition, kind: string) {
  return {
    address,
    summary,
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    tags: [{ name: owner }],
    'x-kind': kind,
  };
}

/** NATS generates a reply subject for each request. */
function answerChannel(request: RequestType) {
  const name = answerOf(request);
  return {
    address: null,
    summary: `The response to \`${request.name}\`, sent to the reply subject of the request.`,
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    tags: [{ name: request.owner }],
    'x-kind': 'answer',
  };
}

const channelRef = (name: string) => ({ $ref: `#/channels/${name}` });
const messageRefs = (name: string) => [{ $ref: `#/channels/${name}/messages/${name}` }];

function sending({ name, summary, owner }: EventType | SignalType) {
  return {
    action: 'send',
    channel: channelRef(name),
    description: summary,
    messages: messageRefs(name),
    tags: [{ name: owner }],
  };
}

function answering(request: RequestType) {
  const { name, summary, owner, callers, timeoutMs } = request;
  return {
    action: 'receive',
    channel: channelRef(name),
    description: summary,
    messages: messageRefs(name),
    reply: { channel: channelRef(answerOf(request)), messages: messageRefs(answerOf(request)) },
    tags: [{ name: owner }],
    'x-callers': callers,
    'x-timeout-ms': timeoutMs,
  };
}

/** Describes messages. Schemas shared by several messages are collected in `schemas`. */
function messageWriter(schemas: Record<string, unknown>) {
  return ({ name, summary }: { name: string; summary: string }, schema: z.ZodType, examples: Example[]) => ({
    name,
    title: name,
    summary,
    contentType: 'application/json',
    headers: {
      type: 'object',
      properties: { traceparent: { type: 'string', description: 'W3C trace context.' } },
    },
    payload: payloadOf(schema, schemas),
    examples,
  });
}

/** The JSON Schema of a message as it is sent over the bus. */
function payloadOf(schema: z.ZodType, schemas: Record<string, unknown>): object {
  const json = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  const text = JSON.stringify(json).replaceAll('"#/definitions/', '"#/components/schemas/');
  const { $schema: _, definitions, ...payload } = JSON.parse(text) as Record<string, unknown>;
  Object.assign(schemas, definitions);
  return payload;
}
