/** The position of the first notice, far below the positions of messages and of adopted interim messages. */
export const firstNotice = -4_000_000_000_000_000;
/** All notices are below this position, and nothing else is. */
export const lastNotice = -1_000_000_000_000;

/** Whether a message isn't from a person, but reports the result of a waiting call. */
export const isNotice = ({ seq }: { seq: number }): boolean => seq < lastNotice;

/** The position of a reply to these messages, in a conversation that waits for `nextSeq`. */
export function placeAfter(messages: readonly { seq: number }[], nextSeq: number): number {
  const last = messages.at(-1);
  return last && !isNotice(last) ? last.seq : nextSeq - 1;
}
