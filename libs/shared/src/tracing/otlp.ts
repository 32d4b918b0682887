/**
 * Loaded only in a process that has a collector: the SDK takes half a second to load and some 30 MB. Span ids come
 * from our own context, so that `traceparent` and the collector agree.
 */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Context } from './context.ts';
import type { Span, SpanSink, SpanStart } from './spans.ts';

export interface TelemetryOptions {
  /** The collector's address, without `/v1/traces`. */
  endpoint: string;
  service: string;
  instanceId: string;
  version: string;
}

interface Telemetry {
  sink: SpanSink;
  /** Sends the remaining spans, within a short time limit. */
  stop(): Promise<void>;
}

const kinds: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Limits of the queue; spans that can't be sent are dropped. */
const bounds = {
  maxQueueSize: 4096,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 1000,
  exportTimeoutMillis: 5000,
};

export function startOtlp({ endpoint, service, instanceId, version }: TelemetryOptions): Telemetry {
  let next: Context | undefined;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'botyard',
      'service.name': `botyard-${service}`,
      'service.version': version,
      'service.instance.id': instanceId,
    }),
    sampler: new AlwaysOnSampler(),
    // Runs in the same turn in which `next` was set.
    idGenerator: {
      generateTraceId: () => next?.traceId ?? '',
      generateSpanId: () => next?.spanId ?? '',
    },
    spanLimits: { attributeCountLimit: 32, attributeValueLengthLimit: 256 },
    spanProcessors: [
      new BatchSpanProcessor({
        ...bounds,
        exporter: new OTLPTraceExporter({
          url: `${endpoint}/v1/traces`,
          timeoutMillis: bounds.exportTimeoutMillis,
        }),
      }),
    ],
  });
  const tracer = provider.getTracer('botyard');
  const sink: SpanSink = {
    begin: (name, { kind, attributes }, context) => {
      next = context;
      const options = { kind: kinds[kind], ...(attributes ? { attributes } : {}) };
      return spanOf(tracer.startSpan(name, options, parentOf(context)));
    },
  };
  return { sink, stop: () => provider.shutdown() };
}

function parentOf({ traceId, parentSpanId }: Context) {
  if (!parentSpanId) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: parentSpanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

function spanOf(span: import('@opentelemetry/api').Span): Span {
  return {
    set: (attributes) => void span.setAttributes(attributes),
    fail: (error) => {
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
}
