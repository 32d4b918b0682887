import type { Deps } from '../../deps.ts';
import type { MailBody } from '../../platforms/mailgun/domain/outbound/format/format-mail.ts';
import type { ReplyPart } from '../../platforms/telegram/domain/format-reply.ts';
import type { NewReply } from '../store/replies.ts';

/** For all replies that are queued together: what isn't formatted by then is sent plain. */
const maxMs = 2000;

type Formatted = { parts: ReplyPart[] } | { mail: MailBody | undefined };

/** Replies as their platforms show them. Each is formatted once. */
export class FormattedReplies {
  readonly #texts: Deps['texts'];
  readonly #signal = AbortSignal.timeout(maxMs);
  readonly #known = new Map<string, Promise<Formatted>>();

  constructor({ texts }: Pick<Deps, 'texts'>) {
    this.#texts = texts;
  }

  /** Formats all of them. To be called before anything is locked. */
  async prepare(replies: readonly NewReply[]): Promise<void> {
    await Promise.all(replies.map((reply) => this.#of(reply)));
  }

  async parts(reply: NewReply): Promise<ReplyPart[]> {
    const formatted = await this.#of(reply);
    return 'parts' in formatted ? formatted.parts : [];
  }

  async mail(reply: NewReply): Promise<MailBody | undefined> {
    const formatted = await this.#of(reply);
    return 'mail' in formatted ? formatted.mail : undefined;
  }

  #of(reply: NewReply): Promise<Formatted> {
    const known = this.#known.get(reply.replyId) ?? this.#format(reply);
    this.#known.set(reply.replyId, known);
    return known;
  }

  async #format({ platform, tenantId, text }: NewReply): Promise<Formatted> {
    if (platform === 'messenger')
      return { parts: await this.#texts.formatReply(tenantId, text, this.#signal) };
    return { mail: await this.#texts.formatMail(tenantId, text, this.#signal) };
  }
}
