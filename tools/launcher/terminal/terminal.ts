import { plainText } from '@botyard/shared/log/plain-text';
import { z } from 'zod';

const colours = [36, 32, 33, 35, 34, 96, 92, 93, 95, 94] as const;
const grave = new Set(['warn', 'error', 'fatal']);

/** The fields of a service's log line that the terminal shows. */
const LogLine = z.object({
  level: z.string(),
  msg: z.string().optional(),
  err: z.object({ message: z.string().optional(), code: z.string().optional() }).optional(),
});

/** Longer lines are in the log files. */
const maxLineLength = 4000;

/** Names and errors in its lines may be foreign: they can't control the terminal. */
export interface Terminal {
  /** Prints a line of the launcher. */
  say(line: string): void;
  complain(line: string): void;
  /** Prints a line of a process, prefixed with its name. */
  from(name: string, line: string): void;
}

export function createTerminal(out: NodeJS.WriteStream, err: NodeJS.WriteStream): Terminal {
  const colourOf = new Map<string, number>();
  const paint = (name: string, stream: NodeJS.WriteStream) => {
    const colour = colourOf.get(name) ?? colours[colourOf.size % colours.length];
    if (colour !== undefined) colourOf.set(name, colour);
    return stream.isTTY && !process.env.NO_COLOR ? `\x1b[${colour}m${name.padEnd(8)}\x1b[0m` : name.padEnd(8);
  };
  return {
    say: (line) => out.write(`${plainText(line, maxLineLength)}\n`),
    complain: (line) => err.write(`botyard: ${plainText(line, maxLineLength)}\n`),
    from: (name, line) => out.write(`${paint(name, out)} ${plainText(line, maxLineLength)}\n`),
  };
}

/**
 * Returns the short form of a service's log line, or `undefined` for lines that go to the log file only. Other text is
 * returned unchanged.
 */
export function readableLine(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() === '' ? undefined : line;
  // Checked first, because parsing every line of a busy service would be expensive.
  if (!/"level":"(warn|error|fatal)"/.test(line)) return undefined;
  try {
    const { level, msg, err } = LogLine.parse(JSON.parse(line));
    if (!grave.has(level)) return undefined;
    const cause = err?.message && !msg?.includes(err.message) ? ` (${err.message})` : '';
    return `${level} ${msg ?? ''}${cause}`;
  } catch {
    return line;
  }
}
