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
              schema: z.object({
                status: z.enum(['starting', 'degraded']),
                services: state,
                error: z.string().describe('The same, for people.'),
                code: z.literal('unavailable'),
              }),
            },
          },
        },
      },
    },
  },
};

const telemetry = {
  traces: 'resourceSpans',
  metrics: 'resourceMetrics',
  logs: 'resourceLogs',
} as const;

const OtlpMessage = z.string().meta({
  id: 'OtlpMessage',
  format: 'binary',
  description: 'The export request of OTLP, as protobuf.',
});

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
        'application/json': {
          schema: z.looseObject({
            [field]: z.array(z.looseObject({})).describe('As OTLP has them, in JSON.'),
          }),
        },
        'application/x-protobuf': { schema: OtlpMessage },
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
