import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { resultOf, TaskError, type TaskFault, type TaskMessage, type ThreadTasks } from './thread-tasks.ts';

interface ThreadPoolOptions {
  /** The threads' script; it calls `serveTasks`. */
  file: URL;
  threads?: number;
  /** Limit of a thread's heap, and separately of its buffers. */
  maxMegabytes: number;
  /** Per owner. */
  maxWaiting?: number;
  /** Idle threads end after this time, to free their memory. */
  idleMs?: number;
}

interface TaskOptions {
  /** Owners take turns: a task waits for at most one task of each other owner. */
  owner: string;
  /**
   * Limit of processor time, so that a busy machine doesn't end harmless tasks; the limit of elapsed time is ten
   * times as long.
   */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Buffers that are moved instead of copied. */
  transfer?: ArrayBuffer[];
}

type ResultOf<Tasks extends ThreadTasks, Name extends keyof Tasks> = Awaited<ReturnType<Tasks[Name]>>;

interface Job extends TaskOptions {
  order: { name: string; input: unknown };
  end: PromiseWithResolvers<unknown>;
}

const startTimeoutMs = 20_000;
const usualIdleMs = 60_000;
const usualMaxWaiting = 64;
const watchEveryMs = 50;
const waitingTimes = 10;

/**
 * Runs tasks that take more than a few milliseconds, or may never end, outside the main loop: in threads that start
 * with the first task and are reused. A task that takes too much time or memory is ended together with its thread,
 * and nothing else is affected. A thread has no environment variables, and so no secrets.
 */
export class ThreadPool<Tasks extends ThreadTasks> {
  readonly #options: Required<ThreadPoolOptions>;
  readonly #waiting = new Map<string, Job[]>();
  readonly #idle: PoolThread[] = [];
  readonly #threads = new Set<PoolThread>();
  #served: string | undefined;
  #running = 0;

  constructor(options: ThreadPoolOptions) {
    this.#options = { threads: 1, maxWaiting: usualMaxWaiting, idleMs: usualIdleMs, ...options };
  }

  /** @throws TaskRefusal in the task's own words, TaskError, and the signal's reason. */
  async run<Name extends keyof Tasks & string>(
    name: Name,
    input: Parameters<Tasks[Name]>[0],
    options: TaskOptions,
  ): Promise<ResultOf<Tasks, Name>> {
    options.signal?.throwIfAborted();
    const jobs = this.#waiting.get(options.owner) ?? [];
    if (jobs.length >= this.#options.maxWaiting) throw new TaskError('busy');
    const job: Job = { ...options, order: { name, input }, end: Promise.withResolvers() };
    jobs.push(job);
    this.#waiting.set(options.owner, jobs);
    const abort = () => job.end.reject(options.signal?.reason);
    options.signal?.addEventListener('abort', abort, { once: true });
    this.#fill();
    try {
      return (await job.end.promise) as ResultOf<Tasks, Name>;
    } finally {
      options.signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends all threads. Running and waiting tasks are rejected; a later task starts a new thread. */
  async stop(): Promise<void> {
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { end } of waiting) end.reject(new TaskError('busy'));
    this.#idle.length = 0;
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #fill(): void {
    while (this.#running < this.#options.threads) {
      const job = this.#next();
      if (!job) return;
      this.#running += 1;
      void this.#perform(job).then((settle) => {
        this.#running -= 1;
        settle();
        this.#fill();
      });
    }
  }

  /** The next job of the owner that waited longest; never twice the same owner while another waits. */
  #next(): Job | undefined {
    const owners = this.#waiting.keys();
    const first = owners.next().value;
    const owner = first === this.#served ? (owners.next().value ?? first) : first;
    if (owner === undefined) return undefined;
    const jobs = this.#waiting.get(owner)!;
    const job = jobs.shift();
    this.#served = owner;
    this.#waiting.delete(owner);
    if (jobs.length > 0) this.#waiting.set(owner, jobs);
    return job;
  }

  /** Returns a function that passes the outcome on, to be called once the slot is free again. */
  async #perform({ order, end, timeoutMs, signal, transfer = [] }: Job): Promise<() => void> {
    if (signal?.aborted) return () => undefined;
    const thread = this.#idle.pop() ?? this.#begin();
    const abort = () => void thread.end();
    signal?.addEventListener('abort', abort, { once: true });
    const settle = await thread.perform(order, { timeoutMs, transfer }).then(
      (result) => () => end.resolve(result),
      (error: unknown) => () => end.reject(error),
    );
    signal?.removeEventListener('abort', abort);
    if (thread.isUsable) this.#idle.push(thread);
    else await thread.end();
    return settle;
  }

  #begin(): PoolThread {
    const { file, maxMegabytes, idleMs } = this.#options;
    const thread = new PoolThread({ file, maxMegabytes, idleMs }, () => {
      this.#threads.delete(thread);
      const place = this.#idle.indexOf(thread);
      if (place >= 0) this.#idle.splice(place, 1);
    });
    this.#threads.add(thread);
    return thread;
  }
}

/** A thread and its current task. It runs one task at a time, and is unusable once a task has ended it. */
class PoolThread {
  readonly #worker: Worker;
  readonly #ready: Promise<unknown>;
  readonly #limits: { maxMegabytes: number; idleMs: number };
  readonly #onEnd: () => void;
  #reject: ((error: TaskError) => void) | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: { file: URL; maxMegabytes: number; idleMs: number }, onEnd: () => void) {
    this.#limits = options;
    this.#onEnd = onEnd;
    this.#worker = new Worker(options.file, {
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: options.maxMegabytes,
        maxYoungGenerationSizeMb: 32,
        stackSizeMb: 4,
      },
    });
    this.#worker.unref();
    this.#worker.on('error', (error) => this.#fail(faultOf(error), error));
    this.#worker.once('exit', () => this.#fail('failed'));
    this.#ready = once(this.#worker, 'message', { signal: AbortSignal.timeout(startTimeoutMs) });
    // Reported to the first task that waits for it.
    this.#ready.catch(() => undefined);
  }

  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** @throws TaskRefusal, TaskError. */
  async perform(
    order: { name: string; input: unknown },
    { timeoutMs, transfer }: { timeoutMs: number; transfer: ArrayBuffer[] },
  ): Promise<unknown> {
    clearTimeout(this.#idle);
    const { promise, resolve, reject } = Promise.withResolvers<TaskMessage>();
    this.#reject = reject;
    const ready = this.#ready.catch((cause: unknown) => this.#fail('failed', cause));
    await Promise.race([ready, promise]);
    const deadline = setTimeout(() => this.#fail('timeout'), timeoutMs * waitingTimes);
    const usedBefore = this.#worker.cpuUsage();
    usedBefore.catch(() => undefined);
    // Faults found after its end don't affect the next task.
    const fail = (fault: TaskFault) => this.#reject === reject && this.#fail(fault);
    const watch = setInterval(() => {
      this.#watchBuffers(fail);
      this.#watchTime(fail, usedBefore, timeoutMs);
    }, watchEveryMs);
    try {
      this.#worker.once('message', resolve);
      this.#worker.postMessage(order, transfer);
      return resultOf(await promise);
    } finally {
      this.#reject = undefined;
      clearTimeout(deadline);
      clearInterval(watch);
      this.#idle = setTimeout(() => void this.end(), this.#limits.idleMs).unref();
    }
  }

  async end(): Promise<void> {
    this.#fail('failed');
    await this.#worker.terminate();
  }

  #fail(fault: TaskFault, cause?: unknown): void {
    clearTimeout(this.#idle);
    if (!this.#isOver) this.#onEnd();
    this.#isOver = true;
    this.#reject?.(new TaskError(fault, { cause }));
  }

  #watchTime(
    fail: (fault: TaskFault) => void,
    usedBefore: Promise<NodeJS.CpuUsage>,
    timeoutMs: number,
  ): void {
    usedBefore
      .then((before) => this.#worker.cpuUsage(before))
      .then(
        ({ user, system }) => user + system > timeoutMs * 1000 && fail('timeout'),
        () => undefined,
      );
  }

  /** A thread's own limits cover only its heap; decompressed bytes are stored outside it. */
  #watchBuffers(fail: (fault: TaskFault) => void): void {
    const maxBytes = this.#limits.maxMegabytes * 1024 * 1024;
    this.#worker.getHeapStatistics().then(
      ({ external_memory }) => external_memory > maxBytes && fail('memory'),
      () => undefined,
    );
  }
}

function faultOf(error: unknown): TaskFault {
  const { code } = error as { code?: string };
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'failed';
}
