import { join } from 'node:path';
import { type LogFile, openLogFile } from './log-file.ts';
import { readableLine, type Terminal } from './terminal.ts';

/** Receives the output of processes. All lines go to files, lines for people also to the terminal. */
export interface Output {
  server(name: string): (line: string) => void;
  service(name: string): (line: string, from: 'stdout' | 'stderr') => void;
  /** Returns the reason for a failed start, if the process printed one on standard error. */
  lastWords(name: string): string | undefined;
  close(): Promise<void>;
}

/**
 * Nothing is shown on the terminal during the start. A failed start is then reported in one line instead of one per
 * service.
 */
export function createOutput(
  dataDir: string,
  { terminal, isUp }: { terminal: Terminal; isUp: () => boolean },
): Output {
  const files = new Map<string, LogFile>();
  const reasons = new Map<string, string>();
  const fileOf = (name: string) => {
    const file = files.get(name) ?? openLogFile(join(dataDir, 'logs', `${name}.log`));
    files.set(name, file);
    return file;
  };
  return {
    server: (name) => (line) => fileOf(name).write(line),
    service: (name) => (line, from) => {
      fileOf(name).write(line);
      if (from === 'stderr' && isReason(name, line)) reasons.set(name, line);
      const readable = isUp() ? readableLine(line) : undefined;
      if (readable !== undefined) terminal.from(name, readable);
    },
    lastWords: (name) => reasons.get(name),
    close: async () => {
      await Promise.all([...files.values()].map((file) => file.close()));
    },
  };
}

/**
 * True for a service's own line and for the first line of an uncaught error. False for the stack and the version that
 * Node prints.
 */
function isReason(name: string, line: string): boolean {
  return line.startsWith(`${name}: `) || /^\w*Error\b/.test(line);
}
