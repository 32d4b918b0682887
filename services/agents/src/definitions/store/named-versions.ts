/**
 * The versions of an agent that something else names, which are never dropped: the base of its draft. The
 * query gives their numbers for the tenant `$1` and the agent `$2`. Each table that stores the number of a version is
 * added here, in a way that bounds how many it names.
 */
export const namedVersions = [
  'select base from agents.agent_drafts where tenant_id = $1 and agent_id = $2',
].join(' union all ');
