/** The first segments of the console's pages: beneath them the gateway answers with the page, and beneath no other. */
export const consolePages = [
  'inbox',
  'agents',
  'bots',
  'approvals',
  'apps',
  'people',
  'access',
  'usage',
  'keys',
  'tokens',
  'failures',
  'operator',
] as const;

/** Where the console's files lie, and what it asks before anybody has signed in. Public: none of it needs a session. */
export const consolePaths = {
  files: '/console/assets',
  config: '/console/config.json',
  people: '/console/people',
  session: '/console/session',
} as const;
