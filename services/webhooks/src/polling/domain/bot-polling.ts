import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { withTenant } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { HttpError } from '@botyard/shared/http/errors';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { Lease } from '@botyard/shared/work/leased-queue/leased-queue';
import { receiveBody } from '../../admission/domain/receive-body.ts';
import { checkNow } from '../../endpoints/domain/checker.ts';
import type { PolledUpdate, PollFailure } from '../../platforms/domain/polled-updates.ts';
import type { Inbound, Platform } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { type Poll, pollLeaseSeconds, releasePoll } from '../store/polls.ts';

export interface PolledPlatform {
  platform: Platform;
  inbound: Inbound;
  poll: NonNullable<Inbound['poll']>;
}

const leaseMs = pollLeaseSeconds * 1000;
const checkEveryMs = 1000;
/** The least time between long polls: if the last answer came sooner and had no updates, the next poll waits. */
const shortestPollMs = 1000;
/** Pause after a token that the platform refuses. */
const refusedPauseMs = 60_000;
/**
 * Attempts per update while the database answers. After them the update counts as faulty, and the next ones continue.
 */
const maxTries = 4;

const remedy =
  'Check the network between the platform and this process, and whether another program polls the updates of the same bot.';

/** Polls updates for one bot as long as its lease is held. */
export class BotPolling {
  readonly #deps: Deps;
  readonly #how: PolledPlatform;
  readonly #part: string;
  readonly #poll: Poll;
  readonly #lease: Lease;
  /** Aborted when the lease has ended by this process's clock, or the integration no longer exists. */
  readonly #ended = new AbortController();
  /** All updates before this offset are stored: the next request makes the platform delete them. */
  #offset: number | undefined;
  /** The account that the offset belongs to. For another account it would refer to another update. */
  #asked: object | undefined;
  #failures = 0;
  #head: { offset: number; tries: number } | undefined;

  constructor(deps: Deps, how: PolledPlatform, poll: Poll, lease: Lease) {
    this.#deps = deps;
    this.#how = how;
    this.#poll = poll;
    this.#lease = lease;
    this.#part = `polling for bot ${poll.botId}`;
  }

  /** Ends soon after the lease. Unconfirmed updates are delivered again. */
  async run(): Promise<void> {
    const check = setInterval(() => this.#isHeld(), checkEveryMs);
    const signal = AbortSignal.any([this.#lease.signal, this.#ended.signal]);
    try {
      while (!signal.aborted) await this.#step(signal);
    } finally {
      clearInterval(check);
      this.#deps.stalls.recovered(this.#part);
      await this.#release();
    }
  }

  async #step(signal: AbortSignal): Promise<void> {
    const since = performance.now();
    const outcome = await this.#ask(signal);
    if (signal.aborted) return;
    if ('reason' in outcome) return await this.#pauseAfter(outcome, signal);
    this.#failures = 0;
    this.#deps.stalls.recovered(this.#part);
    const tookMs = performance.now() - since;
    if (outcome.taken === 0 && tookMs < shortestPollMs) await rest(shortestPollMs - tookMs, signal);
  }

  async #ask(signal: AbortSignal): Promise<{ taken: number } | (PollFailure & { error?: unknown })> {
    try {
      const endpoint = await this.#findEndpoint();
      if (!endpoint || !this.#isHeld()) return { taken: 0 };
      if (endpoint !== this.#asked) this.#offset = undefined;
      this.#asked = endpoint;
      const answer = await this.#how.poll(endpoint, { offset: this.#offset, signal });
      if ('reason' in answer) return answer;
      // Confirmed updates need no offset. The platform restarts its numbering after a week without updates.
      if (answer.updates.length === 0) this.#offset = undefined;
      for (const update of answer.updates) {
        if (signal.aborted) break;
        await this.#take(update);
        if (!signal.aborted) this.#offset = update.next;
      }
      return { taken: answer.updates.length };
    } catch (error) {
      return { reason: `updates can't be stored: ${withoutSecrets(String(error))}`, error };
    }
  }

  /** The current integration. Ends the polling if it no longer exists. */
  async #findEndpoint() {
    const { botId, integrationId } = this.#poll;
    const endpoint = await this.#deps.endpoints.find(this.#how.inbound.connector, botId);
    if (endpoint?.integrationId === integrationId) return endpoint;
    this.#ended.abort();
    return undefined;
  }

  /** Handles an update like a delivery with a valid secret. @throws the error that keeps it from being stored. */
  async #take(update: PolledUpdate): Promise<void> {
    const { deliveriesCounted } = this.#deps;
    if (update.bytes.byteLength > this.#how.inbound.maxBytes) {
      deliveriesCounted.inc({ verdict: 'malformed', reason: 'too large' });
      return;
    }
    try {
      const endpoint = await this.#findEndpoint();
      if (!endpoint) return;
      const body = { bytes: update.bytes, contentType: 'application/json' };
      const received = await receiveBody(this.#deps, this.#how, [endpoint], body);
      for (const { verdict, reason = '' } of received) deliveriesCounted.inc({ verdict, reason });
    } catch (error) {
      const isMalformed = error instanceof HttpError && error.status === 400;
      if (!isMalformed && !(await this.#isAtFault(update, error))) throw error;
      deliveriesCounted.inc({ verdict: 'malformed', reason: isMalformed ? '' : 'given up' });
      const { integrationId } = this.#poll;
      if (!isMalformed) this.#deps.log.error({ err: error, integrationId }, 'an update was given up');
    }
  }

  /** Failures count only while the database answers in time: in an outage every update waits. */
  async #isAtFault({ next }: PolledUpdate, error: unknown): Promise<boolean> {
    const isUp =
      !isContention(error) &&
      (await this.#deps.admissionDatabase.ping().then(
        () => true,
        () => false,
      ));
    if (this.#head?.offset !== next) this.#head = { offset: next, tries: 0 };
    if (isUp) this.#head.tries += 1;
    return this.#head.tries >= maxTries;
  }

  /**
   * Pauses longer after each failure. A refused token is the tenant's problem: the registration reports it, and
   * readiness doesn't.
   */
  async #pauseAfter(failure: PollFailure & { error?: unknown }, signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    const { reason, retryInMs = 0, isConflict, isRefused, error } = failure;
    const { log, stalls } = this.#deps;
    const { integrationId } = this.#poll;
    if (isRefused) {
      stalls.recovered(this.#part);
      const message = 'the platform refuses to return updates. Give the integration a valid token.';
      if (this.#failures === 1) log.warn({ integrationId, reason }, message);
    } else if (!(error instanceof HttpError)) {
      // A missing database or bus is already reported separately.
      stalls.failed(this.#part, { reason, remedy, error });
    }
    // A webhook may have been set, or the token revoked: the check removes the former and reports the latter.
    if (isConflict || isRefused) await checkNow(this.#deps, this.#poll).catch(() => undefined);
    await rest(Math.max(retryInMs, isRefused ? refusedPauseMs : backoffMs(this.#failures)), signal);
  }

  /** Correct even after a pause of the whole process, when timers are late. */
  #isHeld(): boolean {
    if (performance.now() >= this.#lease.heldSince + leaseMs) this.#ended.abort();
    return !this.#ended.signal.aborted && !this.#lease.signal.aborted;
  }

  async #release(): Promise<void> {
    const { database } = this.#deps;
    const { tenantId } = this.#poll;
    await withTenant(database, [tenantId], (tx) => releasePoll(tx, this.#poll)).catch(() => undefined);
  }
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
