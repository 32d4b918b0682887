import type { LinkProps } from '@tanstack/react-router';
import {
  AppWindow,
  Archive,
  BookOpen,
  Bot,
  Building2,
  ChartColumn,
  ChartLine,
  CircleCheckBig,
  FlaskConical,
  House,
  Inbox,
  KeyRound,
  type LucideIcon,
  MailCheck,
  ShieldCheck,
  Sparkles,
  TriangleAlert,
  Users,
  Wrench,
} from 'lucide-react';
import type { Acting } from '../api/acting.tsx';

export interface ListedPage {
  to: NonNullable<LinkProps['to']>;
  title: string;
  about: string;
  group: string;
  icon: LucideIcon;
  /** The people for whom the API answers its requests: admins and operators if not set. */
  for?: Readers;
}

/** `everyone` of a tenant are its members; responders read the inbox alone. */
type Readers = 'everyone' | 'admins' | 'operators';

const pagesByGroup: Readonly<Record<string, readonly Omit<ListedPage, 'group'>[]>> = {
  Work: [
    { to: '/', title: 'Home', about: 'What waits, first steps and figures', icon: House, for: 'everyone' },
    { to: '/inbox', title: 'Inbox', about: 'Chats, messages and the reasons for answers', icon: Inbox },
    {
      to: '/approvals',
      title: 'Approvals',
      about: 'Tool calls that wait for a person',
      icon: CircleCheckBig,
    },
    {
      to: '/failures',
      title: 'Failures',
      about: 'Dead letters and undelivered replies',
      icon: TriangleAlert,
    },
    {
      to: '/analytics',
      title: 'Analytics',
      about: 'Volume, outcomes, response times and cost of chats',
      icon: ChartLine,
    },
  ],
  Build: [
    {
      to: '/agents',
      title: 'Agents',
      about: 'Instructions, tools and models',
      icon: Sparkles,
      for: 'everyone',
    },
    {
      to: '/agents/documents',
      title: 'Knowledge',
      about: 'Documents that agents answer from',
      icon: BookOpen,
    },
    { to: '/agents/tools', title: 'Tools', about: 'Actions that agents can take', icon: Wrench },
    { to: '/tests', title: 'Tests', about: 'Cases that an agent is tested by', icon: FlaskConical },
    { to: '/apps', title: 'Apps', about: 'Installed apps and templates', icon: AppWindow },
  ],
  Channels: [
    { to: '/bots', title: 'Bots', about: 'Channels and their health', icon: Bot, for: 'everyone' },
    { to: '/inbox/senders', title: 'Mail senders', about: 'People who may write by email', icon: MailCheck },
  ],
  Settings: [
    { to: '/people', title: 'People', about: 'Members and their roles', icon: Users },
    { to: '/access', title: 'Access', about: 'Relationships and policies', icon: ShieldCheck },
    { to: '/keys', title: 'Keys', about: 'Keys of model providers', icon: KeyRound },
    { to: '/usage', title: 'Usage', about: 'Messages, tokens and cost', icon: ChartColumn },
    {
      to: '/operator/archive',
      title: 'Archive',
      about: 'Archive of old messages',
      icon: Archive,
      for: 'admins',
    },
  ],
  Operator: [
    {
      to: '/operator',
      title: 'Operator',
      about: 'Services, restarts and logs',
      icon: Building2,
      for: 'operators',
    },
  ],
};

export const pageGroups = Object.keys(pagesByGroup);

const pages: readonly ListedPage[] = Object.entries(pagesByGroup).flatMap(([group, listed]) =>
  listed.map((page) => ({ ...page, group })),
);

/** Addresses below listed pages that have other readers. */
const exceptions: readonly Pick<ListedPage, 'to' | 'for'>[] = [
  { to: '/agents/tools', for: 'everyone' },
  { to: '/agents/servers' },
  { to: '/bots/set-up' },
  { to: '/inbox/held-mails' },
  { to: '/access/migration', for: 'operators' },
];

/** The pages of the navigation and the palette that the caller may use. */
export const pagesFor = (caller: Acting): readonly ListedPage[] =>
  // Operators find the archive among their own pages.
  pages.filter((page) => isFor(page, caller) && !(caller.isOperator && page.for === 'admins'));

/** False if the API refuses the page's requests to the caller. Addresses that are no page are everybody's. */
export function mayRead(pathname: string, caller: Acting): boolean {
  const page = nearestOf(pathname, [...exceptions, ...pages]);
  return page === undefined || isFor(page, caller);
}

function isFor(page: Pick<ListedPage, 'to' | 'for'>, { tenantId, role, isOperator }: Acting): boolean {
  if (role === 'responder' && !isOperator) return page.to === '/inbox';
  if (page.to === '/') return true;
  if (tenantId === null) return isOperator && page.for === 'operators';
  if (isOperator) return true;
  return role === 'member' ? page.for === 'everyone' : page.for !== 'operators';
}

/** The pages of somebody who only answers chats of some bots. */
export const isForResponders = (pathname: string): boolean =>
  /^\/inbox(?:\/texts|\/[0-9a-f-]{36})?\/?$/.test(pathname);

/** The listed page that an address belongs to: the one with the longest path that begins it. */
export const pageOf = (pathname: string, listed: readonly ListedPage[]): ListedPage | undefined =>
  nearestOf(pathname, listed);

const nearestOf = <Page extends Pick<ListedPage, 'to'>>(
  pathname: string,
  listed: readonly Page[],
): Page | undefined =>
  listed
    .filter(({ to }) => pathname === to || (to !== '/' && pathname.startsWith(`${to}/`)))
    .sort((one, other) => other.to.length - one.to.length)[0];
