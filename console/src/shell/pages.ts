import type { consolePages } from '@botyard/contracts/console-paths';
import type { Acting } from '../api/acting.tsx';

type PagePath = '/' | '/operator/archive' | `/${(typeof consolePages)[number]}`;

interface ListedPage {
  to: PagePath;
  title: string;
  about: string;
  /** The people for whom the API answers its requests: admins and operators if not set. */
  for?: 'everyone' | 'admins' | 'operators';
}

const pages: readonly ListedPage[] = [
  { to: '/', title: 'Home', about: 'First steps, status and problems', for: 'everyone' },
  { to: '/inbox', title: 'Inbox', about: 'Chats, messages and the reasons for answers' },
  { to: '/agents', title: 'Agents', about: 'Instructions, tools and models', for: 'everyone' },
  { to: '/bots', title: 'Bots', about: 'Channels and their health', for: 'everyone' },
  { to: '/approvals', title: 'Approvals', about: 'Tool calls that wait for a person' },
  { to: '/apps', title: 'Apps', about: 'Installed apps and templates' },
  { to: '/people', title: 'People', about: 'Members and their roles' },
  { to: '/access', title: 'Access', about: 'Relationships and policies' },
  { to: '/usage', title: 'Usage', about: 'Messages, tokens and cost' },
  { to: '/keys', title: 'Keys', about: 'Keys of model providers' },
  { to: '/failures', title: 'Failures', about: 'Dead letters and undelivered replies' },
  { to: '/operator/archive', title: 'Archive', about: 'Archive of old messages', for: 'admins' },
  { to: '/operator', title: 'Operator', about: 'Services, restarts and logs', for: 'operators' },
];

/** The pages of the navigation and the palette that the caller may use. */
export const pagesFor = ({ role, isOperator }: Acting): readonly ListedPage[] =>
  pages.filter((page) => {
    // Operators find the archive among their own pages.
    if (isOperator) return page.for !== 'admins';
    return role === 'member' ? page.for === 'everyone' : page.for !== 'operators';
  });
