import type { EventType, RequestType, SignalType } from '@botyard/contracts/events/definition';

export interface Catalogue {
  events: readonly EventType[];
  requests: readonly RequestType[];
  signals: readonly SignalType[];
}

const introduction = `<!-- Written by \`npm run generate\` from libs/contracts/src/events; a test compares it. -->

# Messages on the bus

All messages are JSON, with \`traceparent\` in the headers. Their subjects, fields and examples are in
[asyncapi.json](asyncapi.json), to which each name leads. Within a version, only optional fields may be added;
[the samples](../libs/contracts/samples) show each addition.

Subjects begin with the namespace of the installation, which is \`botyard\` unless \`NATS_NAMESPACE\` is set. Subjects of
events end with the tenant and the conversation, or with \`_\` if there is none.`;

/** A Markdown page that lists all messages on the bus, each with a link to its description. */
export function createEventsPage({ events, requests, signals }: Catalogue): string {
  const sections = [
    introduction,
    `## Events

Facts that have been committed in the database of their owner and published from its outbox. They are delivered at least
once, and each consumer processes each event once. A stream keeps them for 72 hours.`,
    events.map(entry).join('\n'),
    `## Requests

Each is answered by one service.`,
    requests.map(entry).join('\n'),
    `## Signals

Hints that may be lost.`,
    signals.map(entry).join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}

const entry = ({ name, summary }: EventType | RequestType | SignalType): string =>
  `- [\`${name}\`](asyncapi.json#/components/messages/${name}): ${summary}`;
