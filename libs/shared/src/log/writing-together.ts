import fs from 'node:fs';
import type pino from 'pino';

/** Above this size, waiting lines are written immediately. */
const maxTogether = 16_000;
/** The longest delay of a line. */
const waitMs = 20;
const tryAgainMs = 10;

/** Whether a line of a log is a warning or an error. */
export const isLoud = (line: string): boolean => /^\{"level":"(?:warn|error|fatal)"/.test(line);

/**
 * Writes the lines of several milliseconds together, because each write is a system call that costs more than
 * formatting a line. Warnings and errors are written immediately, and nothing is left when the process exits. Lines
 * that can't be written, because the reader is gone or the disk is full, are dropped.
 */
export function writingTogether(descriptor: number): pino.DestinationStream {
  let waiting = '';
  let isDue = false;
  /** The last write ended in the middle of a line. */
  let isCut = false;
  const write = () => {
    if (waiting === '') return;
    const bytes = Buffer.from(isCut ? `\n${waiting}` : waiting);
    waiting = '';
    isCut = writeAll(descriptor, bytes) < bytes.length;
  };
  const writeLater = () => {
    isDue = false;
    write();
  };
  process.once('exit', write);
  return {
    write: (line) => {
      waiting += line;
      if (waiting.length > maxTogether || isLoud(line)) write();
      else if (!isDue) {
        isDue = true;
        setTimeout(writeLater, waitMs).unref();
      }
    },
  };
}

/** Returns the number of bytes written. Waits for a slow reader. */
function writeAll(descriptor: number, bytes: Buffer): number {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += fs.writeSync(descriptor, bytes, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN' && code !== 'EBUSY') return written;
      Atomics.wait(sleeper, 0, 0, tryAgainMs);
    }
  }
  return written;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
