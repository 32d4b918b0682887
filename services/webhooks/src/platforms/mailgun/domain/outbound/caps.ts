/** Most mails of ours in a thread, and to one address, within an hour: no loop goes on for longer (REQ-CHAT-7). */
export const maxMailsPerHour = { ofThread: 20, ofRecipient: 60 } as const;

export interface Counted {
  ofThread: Map<string, number>;
  ofRecipient: Map<string, number>;
}

/** Counts one more mail; or tells why there may be none, and counts nothing. */
export function takePlace(
  counted: Counted,
  mail: { threadId: string; recipient: string },
): string | undefined {
  const inThread = counted.ofThread.get(mail.threadId) ?? 0;
  const toRecipient = counted.ofRecipient.get(mail.recipient) ?? 0;
  if (inThread >= maxMailsPerHour.ofThread)
    return `over the cap of ${maxMailsPerHour.ofThread} mails in a thread and hour`;
  if (toRecipient >= maxMailsPerHour.ofRecipient)
    return `over the cap of ${maxMailsPerHour.ofRecipient} mails to an address and hour`;
  counted.ofThread.set(mail.threadId, inThread + 1);
  counted.ofRecipient.set(mail.recipient, toRecipient + 1);
  return undefined;
}
