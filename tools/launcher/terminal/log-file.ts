import { once } from 'node:events';
import { createWriteStream, mkdirSync, openSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

const defaultMaxBytes = 5 * 1024 * 1024;
const tryAgainAfterMs = 1000;

export interface LogFile {
  write(line: string): void;
  close(): Promise<void>;
}

/** Appends lines to a file. At the size limit the file becomes `<name>.1`, which replaces the previous one. */
export function openLogFile(file: string, maxBytes = defaultMaxBytes): LogFile {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  let stream = openStream(file);
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let reopenedAt = Number.NEGATIVE_INFINITY;
  const reopen = (): boolean => {
    if (performance.now() - reopenedAt < tryAgainAfterMs) return false;
    reopenedAt = performance.now();
    try {
      stream = openStream(file);
      // The last line may be truncated.
      stream.write('\n');
      return true;
    } catch {
      return false;
    }
  };
  return {
    write: (line) => {
      const length = Buffer.byteLength(line) + 1;
      if (bytes + length > maxBytes && bytes > 0) {
        stream.end();
        renameSync(file, `${file}.1`);
        stream = openStream(file);
        bytes = 0;
      }
      if (stream.destroyed && !reopen()) return;
      bytes += length;
      stream.write(`${line}\n`);
    },
    close: async () => {
      if (stream.closed) return;
      stream.end();
      await once(stream, 'close');
    },
  };
}

/** A full disk ends the stream, but must not end the launcher, which has to stop everything in order. */
function openStream(file: string): WriteStream {
  const stream = createWriteStream(file, { fd: openSync(file, 'a', 0o600) });
  stream.on('error', () => {});
  return stream;
}
