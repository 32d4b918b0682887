import { unavailable } from '@botyard/shared/http/errors';
import type { Log } from '@botyard/shared/log/log';
import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError } from '@botyard/shared/work/thread-tasks';
import type { Worker } from '@botyard/shared/work/worker';
import type { TextThread } from '../../platforms/adapter.ts';
import { type TextTaskName, type TextTasks, textTasks } from '../../platforms/tasks.ts';
import { isQuicklyLexed } from '../../text/domain/markdown/lex-markdown.ts';

type InputOf<Name extends TextTaskName> = Parameters<TextTasks[Name]>[0];
type ResultOf<Name extends TextTaskName> = Awaited<ReturnType<TextTasks[Name]>>;

/** A delivery up to this size takes at most a few milliseconds. */
const maxBytesHere = 16 * 1024;
/** Ten times as long as reading takes, to allow for a busy machine. */
const timeoutMs = 3000;
/** Limited, because the platform waits for the response. */
const maxWaitMs = 8000;
/** The most pending tasks per owner: more than the replies that are queued together. */
const maxWaiting = 128;
const maxMegabytes = 128;

/**
 * Reads and formats external texts in a thread with a deadline. Scheduling is fair, so that one tenant's texts delay
 * another's by at most one of them. Texts that take at most a few milliseconds need no thread.
 */
export class TextWorker implements Worker, TextThread {
  readonly #log: Log;
  readonly #pool = new ThreadPool<TextTasks>({
    file: new URL('./text-thread.ts', import.meta.url),
    maxMegabytes,
    maxWaiting,
  });

  constructor(log: Log) {
    this.#log = log;
  }

  start(): void {
    // Has no effect, because the thread starts with the first task.
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  async #run<Name extends TextTaskName>(
    name: Name,
    input: InputOf<Name>,
    { owner, signal }: { owner: string; signal?: AbortSignal | undefined },
  ): Promise<ResultOf<Name>> {
    return await this.#pool.run(name, input, signal ? { owner, timeoutMs, signal } : { owner, timeoutMs });
  }

  async read<Name extends TextTaskName>(
    name: Name,
    input: InputOf<Name>,
    { owner, sizeBytes }: { owner: string; sizeBytes: number },
  ): Promise<ResultOf<Name> | null> {
    if (sizeBytes <= maxBytesHere) return await runHere(name, input);
    try {
      return await this.#run(name, input, { owner, signal: AbortSignal.timeout(maxWaitMs) });
    } catch (error) {
      if (error instanceof TaskError && error.fault === 'depth') return null;
      throw unavailable('too many deliveries are being read: try again later', { cause: error });
    }
  }

  /** Resolves with `null` when it takes too long. */
  async textOfHtml(owner: string, bytes: Uint8Array, signal: AbortSignal): Promise<string | null> {
    try {
      return await this.#run('textOfHtml', bytes, { owner, signal });
    } catch (error) {
      this.#log.warn({ err: error, tenantId: owner }, 'could not read the HTML of a file');
      return null;
    }
  }

  async format<Name extends TextTaskName, Result>(
    name: Name,
    { owner, markdown, signal }: { owner: string; markdown: string; signal?: AbortSignal | undefined },
    plain: (markdown: string) => Result,
  ): Promise<Result> {
    const input = markdown as InputOf<Name>;
    if (isQuicklyLexed(markdown)) return (await runHere(name, input)) as Result;
    try {
      return (await this.#run(name, input, { owner, signal })) as Result;
    } catch (error) {
      const isItsOwn = error instanceof TaskError && error.fault !== 'busy';
      // Another task's work is no reason to lose the formatting: the event is delivered again.
      if (!isItsOwn && !signal?.aborted) throw error;
      this.#log.warn({ err: error, tenantId: owner }, 'an answer is sent unformatted');
      return plain(markdown);
    }
  }
}

const runHere = <Name extends TextTaskName>(name: Name, input: InputOf<Name>) =>
  (textTasks[name] as (input: InputOf<Name>) => ResultOf<Name> | Promise<ResultOf<Name>>)(input);
