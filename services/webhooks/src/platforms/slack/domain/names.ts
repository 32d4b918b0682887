import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { cutText } from '../../../text/domain/clean-text.ts';
import { loose } from '../../domain/fields.ts';
import type { SlackApi } from '../clients/slack-api.ts';
import type { SlackEndpoint } from './connection.ts';
import type { Names, PersonDetails } from './words.ts';

const maxUnitsOfName = 200;
const keptMs = 3_600_000;
/** A name that the platform refused is asked for again after this time. */
const refusedMs = 300_000;
/** A delivery waits no longer for names: the platform wants its answer, and the identifier stands in for a name. */
const maxWaitMs = 800;

interface Kept {
  details: PersonDetails | undefined;
  untilMs: number;
}

const PersonAnswer = z
  .object({
    user: z.object({
      name: loose(z.string()),
      real_name: loose(z.string()),
      locale: loose(
        z
          .string()
          .regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/)
          .max(35),
      ),
      profile: loose(z.object({ display_name: loose(z.string()), real_name: loose(z.string()) })),
    }),
  })
  .transform(({ user: { name: username, real_name: realName, locale, profile } }) => {
    const name = profile?.display_name || profile?.real_name || realName || username;
    return name ? detailsOf(name, { username, locale }) : undefined;
  });
const ChannelAnswer = z
  .object({ channel: z.object({ name: loose(z.string()) }) })
  .transform(({ channel: { name } }) => (name ? detailsOf(name) : undefined));

type Maybe = string | null | undefined;
const detailsOf = (name: string, { username, locale }: { username?: Maybe; locale?: Maybe } = {}) => ({
  name: cutText(name, maxUnitsOfName),
  ...(username ? { username: cutText(username, maxUnitsOfName) } : {}),
  ...(locale ? { language: locale } : {}),
});

/**
 * Names of people and channels, which events don't have: from `users.info` and `conversations.info`, kept for an hour.
 */
export class NameBook {
  readonly #api: SlackApi;
  /** Over all workspaces. */
  readonly #kept = new LRUCache<string, Kept>({ max: 20_000 });
  readonly #pending = new Map<string, Promise<void>>();

  constructor(api: SlackApi) {
    this.#api = api;
  }

  /** Reads with the names that are known, and again once the missing ones are there, if `read` used any. */
  async readWith<Result>(
    endpoint: SlackEndpoint,
    read: (names: Names) => Result,
    isWorth: (result: Result) => boolean,
  ): Promise<Result> {
    const missing = new Set<string>();
    const names = this.#namesOf(endpoint, missing);
    const result = read(names);
    if (missing.size === 0 || !isWorth(result)) return result;
    const loaded = Promise.all([...missing].slice(0, maxLookups).map((id) => this.#load(endpoint, id)));
    await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, maxWaitMs).unref())]);
    return read(names);
  }

  #namesOf({ accountId }: SlackEndpoint, missing: Set<string>): Names {
    const find = (id: string): PersonDetails => {
      const kept = this.#kept.get(`${accountId} ${id}`);
      if (!kept || kept.untilMs < Date.now()) missing.add(id);
      return kept?.details ?? { name: id };
    };
    return {
      person: (userId) => find(userId).name,
      channel: (channelId) => find(channelId).name,
      details: find,
    };
  }

  #load(endpoint: SlackEndpoint, id: string): Promise<void> {
    const key = `${endpoint.accountId} ${id}`;
    const running = this.#pending.get(key);
    if (running !== undefined) return running;
    const loading = this.#ask(endpoint, id)
      .then((kept) => {
        this.#kept.set(key, kept);
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, loading);
    return loading;
  }

  async #ask({ botToken: token }: SlackEndpoint, id: string): Promise<Kept> {
    const call = /^[UW]/.test(id)
      ? { method: 'users.info', params: { user: id, include_locale: 'true' }, answer: PersonAnswer }
      : { method: 'conversations.info', params: { channel: id }, answer: ChannelAnswer };
    const answer = await this.#api<PersonDetails | undefined>({ ...call, token, timeoutMs });
    const details = answer.outcome === 'ok' ? answer.result : undefined;
    return { details, untilMs: Date.now() + (details ? keptMs : refusedMs) };
  }
}

/** A message may mention more people; their identifiers stand in its words. */
const maxLookups = 10;
const timeoutMs = 2000;
