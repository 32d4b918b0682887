import { withoutSecrets } from '../log/without-secrets.ts';
import type { LogRing } from './log-ring.ts';
import type { LogLine, LogQuery } from './questions.ts';

const ranks = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;
type Level = keyof typeof ranks;

/** One message on the bus has to hold everything that a process answers. */
const maxBytes = 256 * 1024;
const deepest = 6;

/** The newest matching lines, newest first. */
export function searchLog(ring: LogRing, query: LogQuery): LogLine[] {
  const matches: LogLine[] = [];
  const wanted = query.text?.toLowerCase();
  for (const line of ring.lines()) {
    const read = readLine(line);
    if (!read || ranks[read.level] < ranks[query.level]) continue;
    if (query.since && read.at < query.since) continue;
    if (query.before && read.at >= query.before) continue;
    if (wanted !== undefined && !holds(read, wanted)) continue;
    matches.push(read);
  }
  matches.sort((left, right) => (left.at < right.at ? 1 : left.at > right.at ? -1 : 0));
  return bounded(matches.slice(0, query.limit));
}

/** Searches the redacted text, so that a search can't reveal secrets. */
function holds({ message, fields }: LogLine, wanted: string): boolean {
  const texts = [message, JSON.stringify(fields)];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

function bounded(lines: LogLine[]): LogLine[] {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += JSON.stringify(line).length;
    return bytes > maxBytes;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function readLine(line: string): LogLine | undefined {
  try {
    const { level, time, msg, service: _service, pid: _pid, ...fields } = JSON.parse(line);
    if (!(level in ranks) || typeof time !== 'string') return undefined;
    return {
      at: new Date(time).toISOString(),
      level: level as Level,
      message: withoutSecrets(String(msg ?? '')),
      fields: clean(fields) as Record<string, unknown>,
    };
  } catch {
    return undefined;
  }
}

/** Redacts every text again: more people see the shown lines than the log. */
function clean(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '…';
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => clean(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, clean(item, depth + 1)]));
}
