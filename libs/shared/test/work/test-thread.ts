import { serveTasks, TaskRefusal } from '../../src/work/thread-tasks.ts';

let calls = 0;
export const tasks = {
  double: (number: number) => number * 2,
  count: () => {
    calls += 1;
    return calls;
  },
  environment: () => Object.keys(process.env),
  refuse: (why: string): never => {
    throw new TaskRefusal(why);
  },
  fail: (): never => {
    throw new TypeError('a fault of ours');
  },
  nest: (): number => tasks.nest() + 1,
  hang: () => {
    for (;;);
  },
  rest: (ms: number) => new Promise<string>((resolve) => setTimeout(resolve, ms, 'rested')),
  hoard: () => {
    const kept: string[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => `text ${index}`));
  },
  inflate: async () => {
    const kept: Buffer[] = [];
    for (;;) {
      kept.push(Buffer.alloc(1024 * 1024, 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  sizeOf: (bytes: Uint8Array) => bytes.length,
  exit: () => process.exit(3),
} as const;

serveTasks(tasks);
