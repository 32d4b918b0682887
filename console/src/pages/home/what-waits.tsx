import type { Answer } from '@botyard/client/client';
import { Link } from '@tanstack/react-router';
import {
  CircleCheckBig,
  Gauge,
  Hand,
  KeyRound,
  type LucideIcon,
  MailQuestionMark,
  PartyPopper,
  Radio,
  TriangleAlert,
  Users,
} from 'lucide-react';
import { useList } from '../../api/use-answer.ts';
import { useExternalTools } from '../../api/use-config.ts';
import { Panel } from '../../parts/controls.tsx';
import { count } from '../../parts/text.tsx';
import { problemWords } from '../problem-words.ts';

type Problems = Answer<'/api/dashboard/status'>['problems'];

const places = {
  registrationsFailed: { to: '/bots', icon: Radio },
  keysInvalid: { to: '/keys', icon: KeyRound },
  quotaExceeded: { to: '/usage', icon: Gauge },
  adminsKeptAfterLeaving: { to: '/people', icon: Users },
} as const;

interface Waiting {
  what: string;
  /** `100+` where more wait than one page lists. */
  many: string;
  to: '/approvals' | '/inbox' | '/inbox/held-mails' | '/failures' | '/bots' | '/keys' | '/usage' | '/people';
  search?: { handling: 'person' };
  icon: LucideIcon;
  isBad: boolean;
}

/** The longest list that is asked for to count it. */
const limit = 100;
const manyOf = ({ length }: readonly unknown[]): string => (length < limit ? count(length) : `${limit}+`);

/** Everything that waits for a person, each a link to the page where it is done. */
export function WhatWaits({ problems }: { problems: Problems }) {
  const approvals = useList('/api/integrations/pending', {
    query: { limit },
    enabled: useExternalTools(),
    live: { events: ['approval.waiting'] },
  });
  const mails = useList('/api/email-threads/held-mails', { query: { limit } });
  const chats = useList('/api/interactions/chats', {
    query: { handling: 'person', limit },
    live: { events: ['chat.updated'] },
  });
  const lists: (Omit<Waiting, 'many' | 'isBad'> & { list: readonly unknown[] })[] = [
    { what: 'calls to approve', to: '/approvals', icon: CircleCheckBig, list: approvals.data ?? [] },
    {
      what: 'chats with a person',
      to: '/inbox',
      search: { handling: 'person' },
      icon: Hand,
      list: chats.data ?? [],
    },
    { what: 'held emails', to: '/inbox/held-mails', icon: MailQuestionMark, list: mails.data ?? [] },
  ];
  const waiting: Waiting[] = [
    ...problems.map(({ kind, count: many }) => ({
      what: problemWords[kind] ?? kind,
      many: count(many),
      isBad: true,
      ...(kind in places
        ? places[kind as keyof typeof places]
        : ({ to: '/failures', icon: TriangleAlert } as const)),
    })),
    ...lists
      .filter(({ list }) => list.length > 0)
      .map(({ list, ...one }) => ({ ...one, many: manyOf(list), isBad: false })),
  ];
  return (
    <Panel title="Needs attention">
      {waiting.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <PartyPopper aria-hidden="true" className="size-5" /> Nothing waits for you.
        </p>
      ) : (
        <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
          {waiting.map((one) => (
            <Tile key={one.what} {...one} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Tile({ what, many, to, search, icon: Icon, isBad }: Waiting) {
  const tint = isBad ? 'bg-bad-tint text-bad' : 'bg-accent-tint text-accent';
  return (
    <li>
      <Link
        to={to}
        search={(now) => ({ as: now.as, tenant: now.tenant, ...search })}
        className="flex h-full items-center gap-3 rounded-lg border border-line p-3 hover:bg-hover"
      >
        <span className={`grid size-9 shrink-0 place-items-center rounded-full ${tint}`}>
          <Icon aria-hidden="true" className="size-4" />
        </span>
        <span className="min-w-0">
          <span className="text-lg font-semibold tabular-nums">{many}</span> <span>{what}</span>
        </span>
      </Link>
    </li>
  );
}
