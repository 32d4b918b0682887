/** The kinds of permissions: one address, a thread with everyone in it, or a domain. */
export const grantKinds = ['sender', 'thread', 'group'] as const;
export type GrantKind = (typeof grantKinds)[number];

export const grantsPath = '/api/email-threads/senders';

/** Describes what a permission covers. `value` is the address, the thread's subject or the domain. */
export function meaningOf(kind: GrantKind, value: string, botName: string): string {
  if (kind === 'sender') return `${botName} answers emails from ${value} in any thread.`;
  if (kind === 'thread') return `${botName} answers everyone who writes in the thread ${value}.`;
  return `${botName} answers everyone whose address ends in @${value}. Subdomains are not included.`;
}
