import type { MailCounts } from '../../../store/inbound.ts';

/**
 * Limits that end a conversation with an undeclared machine: no person writes so many mails in an hour. Held mail of
 * unadmitted senders is bounded, because anybody can write.
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
