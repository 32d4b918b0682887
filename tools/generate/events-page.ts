import type { EventType, RequestType, SignalType } from '@botyard/contracts/events/definition';
import { createNames } from '@botyard/shared/bus/names';
import { samplesOf } from '@botyard/testing/samples';
import { fieldsTable } from './fields-table.ts';

export interface Catalogue {
  events: readonly EventType[];
  requests: readonly RequestType[];
  signals: readonly SignalType[];
}

const names = createNames('botyard');

const introduction = `<!-- Written by \`npm run generate\` from libs/contracts/src/events; a test compares it. -->

# Messages on the bus

**Events** are facts that have been committed in the database of their owner and published from its outbox. They are
delivered at least once, and each consumer processes each event once. They are kept in a stream for 72 hours. **Requests**
are answered by one service. **Signals** are hints that may be lost. All messages are JSON, with \`traceparent\` in the
headers.

Subjects begin with the namespace of the installation, which is \`botyard\` unless \`NATS_NAMESPACE\` is set. Subjects of
events end with the tenant and the conversation, or with \`_\` if there is none. Within a version, only optional fields may
be added. This page shows the oldest sample of each message; [the others](../libs/contracts/samples) show later additions.`;

/** A Markdown page that documents all messages on the bus. */
export function createEventsPage({ events, requests, signals }: Catalogue): string {
  const sections = [
    introduction,
    contents({ events, requests, signals }),
    '## Events',
    ...events.map(eventSection),
    '## Requests',
    ...requests.map(requestSection),
    '## Signals',
    ...signals.map(signalSection),
  ];
  return `${sections.join('\n\n')}\n`;
}

function contents({ events, requests, signals }: Catalogue): string {
  const row = (kind: string, { name, owner, summary }: EventType | RequestType | SignalType) =>
    `| [\`${name}\`](#${name.replaceAll('.', '')}) | ${kind} | ${owner} | ${summary} |`;
  return [
    '| Name | Kind | Owner | Summary |',
    '|---|---|---|---|',
    ...events.map((event) => row('event', event)),
    ...requests.map((request) => row('request', request)),
    ...signals.map((signal) => row('signal', signal)),
  ].join('\n');
}

function eventSection(event: EventType): string {
  return [
    `### ${event.name}`,
    event.summary,
    `Owner: **${event.owner}** · Subject: \`${subjectOf(event)}\``,
    fieldsTable(event.schema),
    block(samplesOf(event)[0]?.payload),
  ].join('\n\n');
}

const block = (payload: unknown): string => `\`\`\`json\n${JSON.stringify(payload, null, 2)}\n\`\`\``;

function subjectOf(event: EventType): string {
  const scoped = Object.keys(samplesOf(event)[0]?.payload ?? {});
  const scope = ['tenantId', 'conversationId'].map((name) => (scoped.includes(name) ? `<${name}>` : '_'));
  return names.everyEvent(event).replace('*.*', scope.join('.'));
}

function requestSection(request: RequestType): string {
  const { name, owner, summary, callers, timeoutMs } = request;
  const [first] = samplesOf(request);
  return [
    `### ${name}`,
    summary,
    `Answered by: **${owner}** · Called by: ${callers.join(', ')} · Subject: \`${names.request(request)}\` · Timeout: ${timeoutMs} ms`,
    'Request:',
    fieldsTable(request.request),
    block(first?.payload.question),
    'Response:',
    fieldsTable(request.response),
    block(first?.payload.answer),
  ].join('\n\n');
}

function signalSection(signal: SignalType): string {
  return [
    `### ${signal.name}`,
    signal.summary,
    `Owner: **${signal.owner}** · Received by: ${signal.listeners.join(', ')} · Subject: \`${names.signal(signal)}\``,
    fieldsTable(signal.schema),
    block(samplesOf(signal)[0]?.payload),
  ].join('\n\n');
}
