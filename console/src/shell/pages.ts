import type { consolePages } from '@botyard/contracts/console-paths';

type PagePath = '/' | `/${(typeof consolePages)[number]}`;

/** The pages of the navigation and the palette. */
export const pages: readonly { to: PagePath; title: string; about: string }[] = [
  { to: '/', title: 'Home', about: 'First steps, status and problems' },
  { to: '/inbox', title: 'Inbox', about: 'Chats, messages and the reasons for answers' },
  { to: '/agents', title: 'Agents', about: 'Instructions, tools and models' },
  { to: '/bots', title: 'Bots', about: 'Channels and their health' },
  { to: '/approvals', title: 'Approvals', about: 'Tool calls that wait for a person' },
  { to: '/apps', title: 'Apps', about: 'Installed apps and templates' },
  { to: '/people', title: 'People', about: 'Members and their roles' },
  { to: '/access', title: 'Access', about: 'Relationships and policies' },
  { to: '/usage', title: 'Usage', about: 'Messages, tokens and cost' },
  { to: '/keys', title: 'Keys', about: 'Keys of model providers' },
  { to: '/tokens', title: 'Tokens', about: 'API tokens for programs' },
  { to: '/failures', title: 'Failures', about: 'Dead letters and undelivered replies' },
  { to: '/operator', title: 'Operator', about: 'Services, restarts and logs' },
];
