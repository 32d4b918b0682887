import { join } from 'node:path';
import { type LogFile, openLogFile } from './log-file.ts';
import { readableLine, type Terminal } from './terminal.ts';

/** Destinations of the processes' lines: all go to files, those for people to the terminal as well. */
export interface Output {
  server(name: string): (line: string) => void;
  service(name: string): (line: string, from: 'stdout' | 'stderr') => void;
  /** Why a process gave up, as far as it said so on standard error. */
  lastWords(name: string): string | undefined;
  close(): Promise<void>;
}

/**
 * During the start the terminal stays quiet: a process that gives up is then reported in one line, not in one for each
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
 * A service's own line, or the first line of an uncaught error; not the stack and the version that Node prints around
 * it.
 */
function isReason(name: string, line: string): boolean {
  return line.startsWith(`${name}: `) || /^\w*Error\b/.test(line);
}
