/** Increments the bus version if the release's expectations of streams and consumers have changed. */
import { readFileSync } from 'node:fs';
import type { EventType } from '@botyard/contracts/events/definition';
import { consumerSettings } from '@botyard/shared/bus/durable';
import { streamSettings } from '@botyard/shared/bus/streams';
import { subscriptions as agents } from '../../services/agents/src/consumers.ts';
import { subscriptions as keys } from '../../services/keys/src/consumers.ts';
import { subscriptions as tenancy } from '../../services/tenancy/src/consumers.ts';
import { subscriptions as usage } from '../../services/usage/src/consumers.ts';
import { subscriptions as webhooks } from '../../services/webhooks/src/consumers.ts';

export const busVersionFile = 'libs/shared/src/bus/bus-version.json';

/** The text of the file, with the recorded version if nothing has changed, otherwise with the next one. */
export function createBusVersion(): string {
  const recorded = JSON.parse(readFileSync(new URL(`../../${busVersionFile}`, import.meta.url), 'utf8')) as {
    version: number;
  };
  const same = textOf(recorded.version);
  return same === `${JSON.stringify(recorded, null, 2)}\n` ? same : textOf(recorded.version + 1);
}

function textOf(version: number): string {
  const consumers = { agents, keys, tenancy, usage, webhooks };
  const namesOf = (subscriptions: readonly { event: EventType }[]) =>
    subscriptions.map(({ event }) => event.name).sort();
  const events = Object.entries(consumers).map(
    ([service, subscriptions]) => [service, namesOf(subscriptions)] as const,
  );
  const expected = {
    version,
    consumers: Object.fromEntries(events),
    settings: { consumer: consumerSettings, stream: streamSettings },
  };
  return `${JSON.stringify(expected, null, 2)}\n`;
}
