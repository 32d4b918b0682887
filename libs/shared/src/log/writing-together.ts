import pino from 'pino';

/** With more than this, what waits is written before its turn ends. */
const mostTogether = 16_000;

/** Writes the lines of one turn of the event loop together: each write is a system call. None is left when the process exits. */
export function writingTogether(descriptor: number): pino.DestinationStream {
  const destination = pino.destination({ dest: descriptor, sync: true, minLength: mostTogether });
  let isDue = false;
  const write = () => {
    isDue = false;
    destination.flushSync();
  };
  process.once('exit', write);
  return {
    write: (line) => {
      destination.write(line);
      if (isDue) return;
      isDue = true;
      setImmediate(write);
    },
  };
}
