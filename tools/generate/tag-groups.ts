/** The tags of the document by a reader's purpose, in the order of the reference. */
export const tagGroups: readonly { name: string; tags: readonly string[] }[] = [
  { name: 'Bots', tags: ['bots', 'bot-assignment', 'bot-groups', 'dashboard'] },
  { name: 'Conversations', tags: ['interactions', 'events', 'archival', 'context-traces'] },
  {
    name: 'Agents and knowledge',
    tags: ['agents', 'definitions', 'context-sources', 'tools', 'integrations'],
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
    name: 'Operating',
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
 * The same tags in the order of the groups, for readers that know nothing of groups.
 * @throws Error unless each tag is in exactly one group, and each group has tags that exist.
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
