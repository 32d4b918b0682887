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
import { useChatCounts } from '../../api/use-chat-counts.ts';
import { useExternalTools } from '../../api/use-config.ts';
import { Panel } from '../../parts/controls.tsx';
import { count } from '../../parts/text.tsx';
import { problemWords } from '../problem-words.ts';

type Status = Answer<'/api/dashboard/status'>;

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
  search?: { queue: 'unassigned' };
  icon: LucideIcon;
  isBad: boolean;
}

/** The longest list that is asked for to count it. */
const limit = 100;
const manyOf = ({ length }: readonly unknown[]): string => (length < limit ? count(length) : `${limit}+`);

const nearFrom = 0.8;
const limitWords = {
  messages: 'of the messages quota used',
  inputTokens: 'of the input tokens quota used',
  outputTokens: 'of the output tokens quota used',
  costMicroUsd: 'of the cost quota used',
} as const;

/** The limits of the quota that are nearly used up. Those that are used up are problems already. */
function nearLimits(quota: Status['quota']): Waiting[] {
  if (!quota) return [];
  return (Object.keys(limitWords) as (keyof typeof limitWords)[]).flatMap((name) => {
    const [limit, left] = [quota.limits[name] ?? 0, quota.remaining[name] ?? 0];
    const share = limit > 0 ? 1 - left / limit : 0;
    if (share < nearFrom || quota.exceeded.includes(name)) return [];
    const many = `${Math.floor(share * 100)} %`;
    return [{ what: limitWords[name], many, to: '/usage' as const, icon: Gauge, isBad: false }];
  });
}

/** Everything that waits for a person, each a link to the page where it is done. */
export function WhatWaits({ problems, quota }: Pick<Status, 'problems' | 'quota'>) {
  const approvals = useList('/api/integrations/pending', {
    query: { limit },
    enabled: useExternalTools(),
    live: { events: ['approval.waiting'] },
  });
  const mails = useList('/api/email-threads/held-mails', { query: { limit } });
  const chats = useChatCounts();
  const lists: (Omit<Waiting, 'what' | 'many' | 'isBad'> & {
    what: readonly [one: string, several: string];
    list: readonly unknown[];
  })[] = [
    {
      what: ['call to approve', 'calls to approve'],
      to: '/approvals',
      icon: CircleCheckBig,
      list: approvals.data ?? [],
    },
    {
      what: ['held email', 'held emails'],
      to: '/inbox/held-mails',
      icon: MailQuestionMark,
      list: mails.data ?? [],
    },
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
      .map(({ list, what: [one, several], ...rest }) => ({
        ...rest,
        what: list.length === 1 ? one : several,
        many: manyOf(list),
        isBad: false,
      })),
    ...(chats.data?.unassigned
      ? [
          {
            what: chats.data.unassigned === 1 ? 'chat for a person' : 'chats for a person',
            many: count(chats.data.unassigned),
            to: '/inbox' as const,
            search: { queue: 'unassigned' as const },
            icon: Hand,
            isBad: false,
          },
        ]
      : []),
    ...nearLimits(quota),
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
