import { unavailable } from '@botyard/shared/http/errors';
import type { Log } from '@botyard/shared/log/log';
import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError } from '@botyard/shared/work/thread-tasks';
import type { Worker } from '@botyard/shared/work/worker';
import type { ReadDelivery } from '../../platforms/domain/read-delivery.ts';
import { sizeOfFields } from '../../platforms/mailgun/domain/inbound/mail-form.ts';
import {
  type PostedMail,
  type ReadMail,
  readPosted,
} from '../../platforms/mailgun/domain/inbound/read/read-mail.ts';
import {
  formatMail,
  type MailBody,
  plainMail,
} from '../../platforms/mailgun/domain/outbound/format/format-mail.ts';
import type { OwnBot } from '../../platforms/telegram/domain/connection.ts';
import {
  formatPlainReply,
  formatReply,
  type ReplyPart,
} from '../../platforms/telegram/domain/format-reply.ts';
import { readUpdateBytes } from '../../platforms/telegram/domain/read-update.ts';
import { isQuicklyLexed } from '../../text/domain/markdown/lex-markdown.ts';
import type { tasks } from './text-thread.ts';

/** A mail up to this size takes at most a few milliseconds. */
const maxBytesHere = 16 * 1024;
/** Ten times as long as reading takes, to allow for a busy machine. */
const timeoutMs = 3000;
/** Limited, because the mailer waits for the response. */
const maxWaitMs = 8000;
/** The most pending tasks per owner: more than the replies that are queued together. */
const maxWaiting = 128;
const maxMegabytes = 128;

/**
 * Reads and formats external texts: in the main thread if that takes at most a few milliseconds, and otherwise in a
 * thread with a deadline. Scheduling is fair, so that one tenant's texts delay another's by at most one of them.
 */
export class TextWorker implements Worker {
  readonly #log: Log;
  readonly #pool = new ThreadPool<typeof tasks>({
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

  /** @throws HttpError 503 when it takes too long, so that the mailer retries. */
  async readMail(owner: string, posted: PostedMail): Promise<{ mail: ReadMail; digest: string }> {
    if (sizeOfFields(posted.fields) <= maxBytesHere) return await readPosted(posted);
    const options = { owner, timeoutMs, signal: AbortSignal.timeout(maxWaitMs) };
    try {
      return await this.#pool.run('readPosted', posted, options);
    } catch (error) {
      throw unavailable('too much mail is being read: try again later', { cause: error });
    }
  }

  /** Resolves with `null` if the bytes aren't JSON. @throws HttpError 503 when it takes too long. */
  async readUpdate(owner: string, bytes: Uint8Array, bot: OwnBot): Promise<ReadDelivery | null> {
    if (bytes.length <= maxBytesHere) return readUpdateBytes(bytes, bot);
    const options = { owner, timeoutMs, signal: AbortSignal.timeout(maxWaitMs) };
    const { platformBotId, username } = bot;
    const given = { bytes, bot: { platformBotId, username } };
    try {
      return await this.#pool.run('readUpdate', given, options);
    } catch (error) {
      if (error instanceof TaskError && error.fault === 'depth') return null;
      throw unavailable('too many deliveries are being read: try again later', { cause: error });
    }
  }

  /** Resolves with `null` when it takes too long. */
  async textOfHtml(owner: string, bytes: Uint8Array, signal: AbortSignal): Promise<string | null> {
    try {
      return await this.#pool.run('textOfHtml', bytes, { owner, timeoutMs, signal });
    } catch (error) {
      this.#log.warn({ err: error, tenantId: owner }, 'could not read the HTML of a file');
      return null;
    }
  }

  /** Falls back to plain text if formatting takes too long or fails. @throws TaskError when too many texts wait. */
  async formatReply(owner: string, markdown: string, signal?: AbortSignal): Promise<ReplyPart[]> {
    if (isQuicklyLexed(markdown)) return formatReply(markdown);
    return await this.#format('formatReply', { owner, markdown, signal }, formatPlainReply);
  }

  /** The same for a mail. Resolves with `undefined` when nothing is visible. */
  async formatMail(owner: string, markdown: string, signal?: AbortSignal): Promise<MailBody | undefined> {
    if (isQuicklyLexed(markdown)) return formatMail(markdown);
    return await this.#format('formatMail', { owner, markdown, signal }, plainMail);
  }

  async #format<Result>(
    name: 'formatReply' | 'formatMail',
    { owner, markdown, signal }: { owner: string; markdown: string; signal: AbortSignal | undefined },
    plain: (markdown: string) => Result,
  ): Promise<Result> {
    const options = signal ? { owner, timeoutMs, signal } : { owner, timeoutMs };
    try {
      return (await this.#pool.run(name, markdown, options)) as Result;
    } catch (error) {
      const isItsOwn = error instanceof TaskError && error.fault !== 'busy';
      // Another task's work is no reason to lose the formatting: the event is delivered again.
      if (!isItsOwn && !signal?.aborted) throw error;
      this.#log.warn({ err: error, tenantId: owner }, 'an answer is sent unformatted');
      return plain(markdown);
    }
  }
}
