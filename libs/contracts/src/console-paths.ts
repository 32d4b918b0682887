/** First path segments of the console's pages. The gateway serves the console only beneath these. */
export const consolePages = [
  'inbox',
  'agents',
  'bots',
  'tests',
  'approvals',
  'apps',
  'people',
  'access',
  'analytics',
  'usage',
  'keys',
  'failures',
  'operator',
] as const;

/** The console's files, and its requests before a sign-in. Public: none of them needs a session. */
export const consolePaths = {
  files: '/console/assets',
  config: '/console/config.json',
  people: '/console/people',
  session: '/console/session',
} as const;
