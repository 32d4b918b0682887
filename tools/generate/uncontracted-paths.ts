import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { errorResponses } from './responses.ts';

const state = z.record(z.string(), z.string()).describe('`ok` or a short reason, for each service.');

/** Answered by the gateway itself. */
export const healthPath: ZodOpenApiPathsObject = {
  '/api/health': {
    get: {
      tags: ['health'],
      operationId: 'getHealth',
      summary: 'Whether every service is ready.',
      description: 'Public: needs no session token.',
      'x-access': 'public',
      security: [],
      responses: {
        200: {
          description: 'Every service is ready.',
          content: { 'application/json': { schema: z.object({ status: z.literal('ok') }) } },
        },
        503: {
          description: 'Not all services are ready, for the first time (`starting`) or again (`degraded`).',
          content: {
            'application/json': {
              schema: z.object({ status: z.enum(['starting', 'degraded']), services: state }),
            },
          },
        },
      },
    },
  },
};

const secretHeaders = z.object({
  'X-Messenger-Bot-Api-Secret-Token': z.string().optional().meta({
    description:
      "The secret of the integration. The platform's own header, `X-Telegram-Bot-Api-Secret-Token`, is accepted as well; where both are sent, both must match.",
  }),
});

const waited = z.int().describe('Milliseconds; 0 when nothing waits.');
const reachable = z.enum(['ok', 'unavailable']);

const WebhookHealth = z.object({
  status: z
    .enum(['ok', 'degraded', 'down'])
    .describe(
      '`down`: nothing is taken in. `degraded`: deliveries are taken, and what follows of them waits for the bus.',
    ),
  database: reachable,
  bus: reachable,
  deliveries: z
    .object({ accepted: z.int(), duplicate: z.int(), ignored: z.int(), malformed: z.int(), refused: z.int() })
    .describe('Of the last minute, at the instance that answers.'),
  oldestUnsentMs: waited,
  oldestUnpublishedMs: waited,
});

/** Served by the webhooks service, outside `/api`. */
export const webhookPath: ZodOpenApiPathsObject = {
  '/webhooks/health': {
    get: {
      tags: ['webhooks'],
      operationId: 'getWebhookHealth',
      summary: 'Whether deliveries are taken in and replies go out.',
      description: 'Public, and limited per client address and minute as all webhooks are.',
      'x-access': 'public',
      security: [],
      responses: {
        200: {
          description: 'Deliveries are taken in.',
          content: { 'application/json': { schema: WebhookHealth } },
        },
        503: {
          description: 'Nothing can be taken in.',
          content: { 'application/json': { schema: WebhookHealth } },
        },
        ...errorResponses([429, 504]),
      },
    },
  },
  '/webhooks/messenger/{botId}': {
    post: {
      tags: ['webhooks'],
      operationId: 'receiveMessengerUpdate',
      summary: "Take an update of the messenger's Bot API in.",
      description:
        'Called by the platform, which shows the integration’s secret. 200 means: committed durably, a duplicate of something ' +
        'that is, or of no interest. Limited per client address and minute before the secret is looked at.',
      'x-access': 'public',
      security: [],
      requestParams: {
        path: z.object({ botId: z.uuid().meta({ description: 'The bot that the update is for.' }) }),
        header: secretHeaders,
      },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: z.looseObject({
              update_id: z.int().describe('By which the platform’s repetitions are recognized.'),
            }),
          },
        },
      },
      responses: {
        200: {
          description: 'Taken. The answer never carries a call for the platform.',
          content: { 'application/json': { schema: z.object({}) } },
        },
        ...errorResponses([400, 401, 404, 413, 429, 500, 503, 504]),
      },
    },
  },
};

const telemetry = {
  traces: 'resourceSpans',
  metrics: 'resourceMetrics',
  logs: 'resourceLogs',
} as const;

/** Answered by the gateway itself, which hands it to the operator's collector. */
export const telemetryPaths: ZodOpenApiPathsObject = Object.fromEntries(
  Object.entries(telemetry).map(([signal, field]) => [
    `/api/otel/v1/${signal}`,
    { post: takesTelemetry(signal, field) },
  ]),
);

function takesTelemetry(signal: string, field: string): ZodOpenApiOperationObject {
  return {
    tags: ['telemetry'],
    operationId: `export${signal[0]?.toUpperCase()}${signal.slice(1)}`,
    summary: `Hand ${signal} to the collector, as OTLP over HTTP.`,
    description:
      'Public: needs no session token, and nothing of the caller is passed on but the body. At most 1 MiB, 4 MiB unpacked; ' +
      '`Content-Encoding` may be `gzip`. 503 where no collector is configured, or while it does not answer.',
    'x-access': 'public',
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: z.looseObject({ [field]: z.array(z.looseObject({})) }) },
        'application/x-protobuf': { schema: z.string().meta({ format: 'binary' }) },
      },
    },
    responses: {
      200: {
        description: 'Taken; of what the collector refuses, `partialSuccess` tells.',
        content: { 'application/json': { schema: z.looseObject({}) } },
      },
      ...errorResponses([400, 413, 415, 429, 500, 502, 503, 504]),
    },
  };
}
