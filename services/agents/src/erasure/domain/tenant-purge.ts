import { TenantPurge, type TenantPurgeOptions } from '@botyard/shared/work/tenant-purge';

/** Removes the data of deleted tenants from this service. */
export const createTenantPurge = (options: Pick<TenantPurgeOptions, 'database' | 'log'>): TenantPurge =>
  new TenantPurge({
    ...options,
    schema: 'agents',
    tables: [
      { name: 'messages' },
      { name: 'quotes' },
      { name: 'people' },
      { name: 'staff' },
      { name: 'early_edits' },
      { name: 'chat_states' },
      { name: 'turns' },
      { name: 'conversations' },
      { name: 'bot_assignments' },
      { name: 'bot_groups' },
      { name: 'app_records' },
      { name: 'app_bindings' },
      { name: 'app_versions' },
      { name: 'apps' },
      { name: 'bots' },
      { name: 'publications' },
      { name: 'agent_versions' },
      { name: 'agent_definitions' },
      { name: 'capability_definitions' },
      { name: 'tool_definitions' },
      { name: 'summaries' },
      { name: 'context_originals' },
      { name: 'context_chunks' },
      { name: 'context_sources' },
      { name: 'document_limits' },
      ...[
        'tool_tickets',
        'tool_executions',
        'tool_rules',
        'tool_groups',
        'tool_connections',
        'tool_settings',
      ].map((name) => ({ name })),
      { name: 'archive_settings' },
      { name: 'archive_jobs' },
      { name: 'archive_chats' },
      // Their bytes are removed first: see `removeLeftOver`.
      { name: 'archive_files', where: 'false' },
      { name: 'erased_people' },
    ],
  });
