/** The tags of the document, grouped by purpose, in the order of the reference. */
export const tagGroups: readonly { name: string; tags: readonly string[] }[] = [
  { name: 'Bots', tags: ['bots', 'bot-assignment', 'bot-groups', 'dashboard'] },
  { name: 'Conversations', tags: ['interactions', 'analytics', 'events', 'archival', 'context-traces'] },
  {
    name: 'Agents and knowledge',
    tags: [
      'agents',
      'definitions',
      'evaluations',
      'context-sources',
      'tools',
      'integrations',
      'integrations/servers',
    ],
  },
  { name: 'Apps', tags: ['apps', 'admin/apps'] },
  {
    name: 'People and access',
    tags: [
      'current-user',
      'tenant',
      'users',
      'auth',
      'authorization-edges',
      'identity-links',
      'messenger-auth',
      'idp-admin',
      'platform-users',
      'admin/gdpr',
    ],
  },
  { name: 'Keys and usage', tags: ['keys', 'usage'] },
  { name: 'Mail and platforms', tags: ['platforms', 'email-threads', 'email-auth', 'webhooks'] },
  {
    name: 'Operations',
    tags: [
      'health',
      'config',
      'system',
      'database',
      'migrations',
      'migrations/spec',
      'bots/superadmin',
      'bots/superadmin/tenants',
      'bots/superadmin/users',
      'admin/integrations',
      'telemetry',
    ],
  },
];

/**
 * Sorts the tags in the order of the groups, for tools that don't support groups.
 * @throws Error if a tag is not in exactly one group, or a group names a tag that doesn't exist.
 */
export function orderByGroup<Tag extends { name: string }>(tags: readonly Tag[]): Tag[] {
  const grouped = tagGroups.flatMap((group) => group.tags);
  const strange = [
    ...grouped.filter((name, at) => grouped.indexOf(name) !== at || !tags.some((tag) => tag.name === name)),
    ...tags.map(({ name }) => name).filter((name) => !grouped.includes(name)),
  ];
  if (strange.length > 0)
    throw new Error(`tools/generate/tag-groups.ts is wrong about ${strange.join(', ')}`);
  return [...tags].sort((left, right) => grouped.indexOf(left.name) - grouped.indexOf(right.name));
}
