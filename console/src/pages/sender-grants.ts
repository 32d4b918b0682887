/** Kinds of grants: an address, a thread with all its writers, a domain. */
export const grantKinds = ['sender', 'thread', 'group'] as const;
export type GrantKind = (typeof grantKinds)[number];

export const grantsPath = '/api/email-threads/senders';

/** The meaning of a grant, in words. `value` is the address, the thread's subject, or the domain. */
export function meaningOf(kind: GrantKind, value: string, botName: string): string {
  if (kind === 'sender') return `${botName} answers the mails of ${value}, in any thread.`;
  if (kind === 'thread') return `${botName} answers everybody who writes in the thread ${value}.`;
  return `${botName} answers everybody whose address ends in @${value}. Subdomains are not among them.`;
}
