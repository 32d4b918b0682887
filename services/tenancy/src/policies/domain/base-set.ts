interface BasePolicy {
  name: string;
  text: string;
  why: string;
}

/**
 * The built-in policies. They express the access levels of the routes (REQ-ACCESS-1), so a tenant without its own
 * policies needs no engine; a test compares the two. With them, access by relationships is allowed unless a `forbid` of
 * the tenant refuses it; a tenant's `permit` adds nothing to relationships.
 */
export const baseSet: readonly BasePolicy[] = [
  {
    name: 'members read',
    text: `permit(principal is User, action == Action::"read", resource)
when { ["member", "admin", "operator"].contains(principal.relation) };`,
    why: 'Members of a tenant, and operators of the platform, may see what is in it.',
  },
  {
    name: 'admins manage',
    text: `permit(principal is User, action == Action::"manage", resource)
when { ["admin", "operator"].contains(principal.relation) };`,
    why: 'Only admins of a tenant, and operators of the platform, may change it, its bots, keys and people.',
  },
  {
    name: 'everybody writes',
    text: `permit(principal is Person, action == Action::"sendMessage", resource is Bot);`,
    why: 'A bot accepts messages from everybody, unless moderation, grants or a policy of the tenant refuse them.',
  },
];

/** Identifiers of policies within a set, with which a decision can be traced to them. */
export const baseId = (name: string): string => `base:${name}`;
