/**
 * The versions of an agent that something else names, which are never dropped: the base of its draft, a candidate, and
 * those of kept runs of its test sets. The query gives their numbers for the tenant `$1` and the agent `$2`. Each table
 * that stores the number of a version is added here, in a way that bounds how many it names.
 */
export const namedVersions = [
  'select base from agents.agent_drafts where tenant_id = $1 and agent_id = $2',
  "select version from agents.agent_releases where tenant_id = $1 and agent_id = $2 and state = 'running'",
  'select candidate_version from agents.evaluation_runs where tenant_id = $1 and agent_id = $2',
  `select baseline_version from agents.evaluation_runs
     where tenant_id = $1 and agent_id = $2 and baseline_version is not null`,
].join(' union all ');
