import { within } from '../work/within.ts';
import { sampleWith } from './context.ts';
import { type SpanSink, sendSpansTo } from './spans.ts';

export interface TelemetryOptions {
  /** The collector's address, without `/v1/traces`. */
  endpoint: string;
  service: string;
  instanceId: string;
  version: string;
}

export interface Telemetry {
  sink: SpanSink;
  /** Sends the remaining spans, within a short time limit. */
  stop(): Promise<void>;
}

const lastWordsMs = 2000;

/** Sends spans of this process to the collector from now on. Returns a function that stops it. */
export async function startTelemetry(options: TelemetryOptions, ratio: number): Promise<() => Promise<void>> {
  const { startOtlp } = await import('./otlp.ts');
  const telemetry = startOtlp(options);
  sendSpansTo(telemetry.sink);
  sampleWith(() => Math.random() < ratio);
  return async () => {
    sendSpansTo(undefined);
    sampleWith(undefined);
    // A collector that is down delays nothing.
    await within(lastWordsMs, telemetry.stop()).catch(() => undefined);
  };
}
