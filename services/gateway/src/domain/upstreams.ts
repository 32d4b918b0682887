import type { Bus } from '@botyard/shared/bus/bus';
import { OpenStreams } from '@botyard/shared/http/open-streams';
import type { RuntimeContext } from '@botyard/shared/service/run-service';
import {
  createUpstream,
  limitsOfPages,
  type Upstream,
  type UpstreamLimits,
  upstreamLimits,
} from '../clients/upstream.ts';
import type { GatewayConfig } from '../config.ts';
import { type UpstreamName, upstreamNames } from './routing-table.ts';

interface UpstreamParts {
  runtime: RuntimeContext;
  limits: Partial<UpstreamLimits> | undefined;
  bus: Bus | null | undefined;
}

/** The services behind the gateway. They share the limits on event streams, and stop using processes that end. */
export function createUpstreams(
  config: GatewayConfig,
  { runtime, limits, bus }: UpstreamParts,
): Record<UpstreamName, Upstream> {
  const streams = new OpenStreams();
  const pageStreams = new OpenStreams(limitsOfPages);
  runtime.metrics.gauge(
    'gateway_event_streams',
    'Streams of events that are open',
    () => streams.count + pageStreams.count,
  );
  const upstreams = forEachUpstream((name) =>
    createUpstream({
      streams,
      pageStreams,
      urls: urlsOf(config, name),
      limits: { ...upstreamLimits, ...limits },
      isExpectedBack: () => bus?.expectedRestarts.isExpectedBack(name) ?? false,
    }),
  );
  bus?.onDrain((drain) => {
    const upstream = upstreamNames.find((name) => name === drain.service);
    if (upstream) upstreams[upstream].noteDrain(drain);
  });
  return upstreams;
}

export function forEachUpstream<Value>(make: (name: UpstreamName) => Value): Record<UpstreamName, Value> {
  return Object.fromEntries(upstreamNames.map((name) => [name, make(name)])) as Record<UpstreamName, Value>;
}

export function urlsOf(config: GatewayConfig, name: UpstreamName): readonly string[] {
  return config[`${name.toUpperCase() as Uppercase<UpstreamName>}_URL`];
}
