/** A policy that expresses what a role of the identity provider allowed. The subject is written like an edge's. */
interface RolePolicy {
  name: string;
  description: string;
  subjectIn(tenantId: string): string;
  action: 'read' | 'manage' | 'sendMessage';
  /** One policy in Cedar. */
  text: string;
}

/**
 * The policies of each tenant that represents an organization, in this order. Their names identify them and must not
 * change.
 */
export const rolePolicies: readonly RolePolicy[] = [
  {
    name: 'Members may read',
    description: 'Whoever is of the tenant may see what is in it.',
    subjectIn: (tenantId) => `tenant:${tenantId}#member`,
    action: 'read',
    text: `permit(principal is User, action == Action::"read", resource)
when { ["member", "admin"].contains(principal.relation) };`,
  },
  {
    name: 'Admins may manage',
    description: 'Admins of the tenant may change it, its bots, keys and people.',
    subjectIn: (tenantId) => `tenant:${tenantId}#admin`,
    action: 'manage',
    text: `permit(principal is User, action == Action::"manage", resource)
when { principal.relation == "admin" };`,
  },
  {
    name: 'People may send messages',
    description: "The tenant's bots hear whoever writes to them.",
    subjectIn: () => 'person:*',
    action: 'sendMessage',
    text: `permit(principal is Person, action == Action::"sendMessage", resource is Bot);`,
  },
];

export const policyNames: readonly string[] = rolePolicies.map(({ name }) => name);
