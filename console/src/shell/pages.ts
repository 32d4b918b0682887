import type { consolePages } from '@botyard/contracts/console-paths';

type PagePath = '/' | `/${(typeof consolePages)[number]}`;

/** The pages, as the navigation and the palette name them. */
export const pages: readonly { to: PagePath; title: string; about: string }[] = [
  { to: '/', title: 'Home', about: 'First steps, status, what needs somebody' },
  { to: '/inbox', title: 'Inbox', about: 'Chats, messages, and why an answer is as it is' },
  { to: '/agents', title: 'Agents', about: 'Instructions, tools and models' },
  { to: '/bots', title: 'Bots', about: 'Channels and their health' },
  { to: '/approvals', title: 'Approvals', about: 'Calls of tools that wait for a person' },
  { to: '/apps', title: 'Apps', about: 'What is installed, and templates' },
  { to: '/people', title: 'People', about: 'Members and their roles' },
  { to: '/access', title: 'Access', about: 'Who may what, and policies' },
  { to: '/usage', title: 'Usage', about: 'Messages, tokens and cost' },
  { to: '/keys', title: 'Keys', about: 'Keys of model providers' },
  { to: '/tokens', title: 'Tokens', about: 'API tokens for programs' },
  { to: '/failures', title: 'Failures', about: 'Dead letters and replies that failed' },
  { to: '/operator', title: 'Operator', about: 'Services, restarts and logs' },
];
