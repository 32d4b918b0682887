import { serveTask, TaskRefusal, watchMemory } from '../../../src/work/thread-tasks.ts';

const endless: Readonly<Record<string, () => unknown>> = {
  buffers: () => {
    const buffers: Uint8Array[] = [];
    for (;;) buffers.push(new Uint8Array(1024 * 1024).fill(1));
  },
  objects: () => {
    const objects: unknown[] = [];
    for (;;) objects.push({ text: `${Math.random()}` });
  },
  time: () => {
    for (;;);
  },
  calls: () => endless.calls!(),
  'watched buffers': () => {
    watchMemory(32);
    return endless.buffers!();
  },
};

serveTask((what: string) => {
  if (what === 'refuses') throw new TaskRefusal('not this one');
  if (what === 'environment') return process.env;
  if (what === 'waits') return new Promise(() => setInterval(() => undefined, 1000));
  return endless[what] ? endless[what]() : what;
});
