import { within } from '../work/within.ts';
import { sampleWith } from './context.ts';
import type { TelemetryOptions } from './otlp.ts';
import { sendSpansTo } from './spans.ts';

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
