import type { MailCounts } from '../../../store/inbound.ts';

/**
 * Whom a machine answers without saying that it is one, that conversation ends here: nobody writes so many mails in an hour.
 * What waits for its sender to be let in is bounded, because anybody can write.
 */
const most = {
  ofThread: 20,
  ofSender: 60,
  heldOfSender: 20,
  heldOfBot: 1000,
  heldBytesOfBot: 256 * 1024 * 1024,
} as const;

/** Why one more mail is not taken; `undefined` when it may be. */
export function whyOverCap(
  counts: MailCounts,
  { isAdmitted, bytes }: { isAdmitted: boolean; bytes: number },
): string | undefined {
  if (isAdmitted) {
    const isOver = counts.ofThread >= most.ofThread || counts.ofSender >= most.ofSender;
    return isOver ? 'over the cap of an hour' : undefined;
  }
  const isOver =
    counts.heldOfSender >= most.heldOfSender ||
    counts.heldOfBot >= most.heldOfBot ||
    counts.heldBytesOfBot + bytes > most.heldBytesOfBot;
  return isOver ? 'too much waits already' : undefined;
}
