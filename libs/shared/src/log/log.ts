import pino from 'pino';
import { currentContext } from '../tracing/context.ts';
import { printableJson } from './plain-text.ts';
import { withoutSecrets } from './without-secrets.ts';
import { writingTogether } from './writing-together.ts';

export type Log = pino.Logger;

const redactedPaths = [
  'authorization',
  'cookie',
  'password',
  'apiKey',
  'botToken',
  'token',
  'secret',
  'credentials',
  'webhookSecretToken',
  'webhookSigningKey',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * JSON lines on standard output, or on another destination. Every line carries the request's context (requestId,
 * traceId, tenantId, principalId). The names above are redacted, and so are secrets inside texts.
 */
export function createLog(service: string, level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { service, pid: process.pid },
    redact: { paths: redactedPaths, censor: '[secret]' },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: isoTime,
    mixin: () => currentContext()?.logFields() ?? {},
    serializers: { err: serializeError },
    hooks: {
      logMethod(args, method) {
        const last = args.length - 1;
        if (typeof args[last] === 'string') args[last] = withoutSecrets(args[last]);
        method.apply(this, args);
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

let stamp = { at: 0, text: '' };

/** Formatted once for all lines of one millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== stamp.at) stamp = { at: now, text: `,"time":"${new Date(now).toISOString()}"` };
  return stamp.text;
}

/** A destination that also keeps recent lines in memory. Lines are safe to print on a terminal. */
export function rememberingLines(
  memory: { add(line: string): void },
  destination: pino.DestinationStream = writingTogether(1),
): pino.DestinationStream {
  return {
    write: (line) => {
      memory.add(line);
      destination.write(printableJson(line));
    },
  };
}

/**
 * Writes closing lines to the log's destination in pino's format. Their fields are fixed and contain nothing to
 * redact, and every request writes one, so the steps that other lines need are skipped.
 */
export function createAccessLog(log: Log): (fields: Readonly<Record<string, unknown>>) => void {
  const { [pino.symbols.streamSym]: destination } = log as unknown as Record<symbol, pino.DestinationStream>;
  const base = log.bindings();
  return (fields) => {
    if (!destination || !log.isLevelEnabled('info')) return;
    const rest = JSON.stringify({ ...base, ...fields, msg: 'request' }).slice(1);
    destination.write(`{"level":"info"${isoTime()},${rest}\n`);
  };
}

function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return withoutSecrets(String(error));
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutSecrets(error.message).slice(0, 1000),
    ...(code === undefined ? {} : { code }),
    stack: withoutSecrets(error.stack ?? '').slice(0, 4000),
    ...(error.cause === undefined || depth > 3 ? {} : { cause: serializeError(error.cause, depth + 1) }),
  };
}
