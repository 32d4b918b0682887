import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { errorResponses } from './responses.ts';

const state = z.record(z.string(), z.string()).describe('The state of each service: `ok` or a short reason.');

/** Served by the gateway itself. */
export const healthPath: ZodOpenApiPathsObject = {
  '/api/health': {
    get: {
      tags: ['health'],
      operationId: 'getHealth',
      summary: 'Check whether every service is ready.',
      description: 'Public: requires no authentication.',
      'x-access': 'public',
      security: [],
      responses: {
        200: {
          description: 'Every service is ready.',
          content: { 'application/json': { schema: z.object({ status: z.literal('ok') }) } },
        },
        503: {
          description:
            'Not all services are ready, either since startup (`starting`) or no longer (`degraded`).',
          content: {
            'application/json': {
              schema: z.object({
                status: z.enum(['starting', 'degraded']),
                services: state,
                error: z.string().describe('A human-readable summary of the state.'),
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
  description: 'An OTLP export request, encoded as protobuf.',
});

/** Served by the gateway itself, which forwards the data to the operator's collector. */
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
    summary: `Export ${signal} to the collector, using OTLP over HTTP.`,
    description:
      'Public: requires no authentication. Only the body is forwarded to the collector. It may have at most 1 ' +
      'MiB, or 4 MiB when decompressed; `Content-Encoding` may be `gzip`. Returns 503 if no collector is ' +
      'configured, or if it does not respond.',
    'x-access': 'public',
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: z.looseObject({
            [field]: z.array(z.looseObject({})).describe('The data in the JSON encoding of OTLP.'),
          }),
        },
        'application/x-protobuf': { schema: OtlpMessage },
      },
    },
    responses: {
      200: {
        description: 'Accepted. `partialSuccess` reports data that the collector rejected.',
        content: { 'application/json': { schema: z.looseObject({}) } },
      },
      ...errorResponses([400, 413, 415, 500, 502, 503, 504]),
    },
  };
}
