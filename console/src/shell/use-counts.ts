import { useActing } from '../api/acting.tsx';
import { useAnswer, useList } from '../api/use-answer.ts';
import { useShellChatCounts } from '../api/use-chat-counts.ts';
import { useExternalTools } from '../api/use-config.ts';

/** Problems by the page on which they are mended. */
const pagesOfProblems: Readonly<Record<string, string>> = {
  deadLetters: '/failures',
  repliesFailed: '/failures',
  registrationsFailed: '/bots',
  keysInvalid: '/keys',
  quotaExceeded: '/usage',
  adminsKeptAfterLeaving: '/people',
};

/** How much waits on each page, by its path. */
export type Counts = Readonly<Record<string, number>>;

/** Counts what waits. Members see nothing, and responders their chats alone: the API tells only admins the rest. */
export function useCounts(): Counts {
  const { tenantId, role, isOperator } = useActing();
  const mayAsk = tenantId !== null && (isOperator || role === 'admin');
  const chats = useShellChatCounts(tenantId !== null && (mayAsk || role === 'responder'));
  const status = useAnswer('/api/dashboard/status', {
    enabled: mayAsk,
    live: { events: ['dead_letter.created', 'integration.changed', 'quota.near'] },
  });
  const approvals = useList('/api/integrations/pending', {
    enabled: useExternalTools() && mayAsk,
    live: { events: ['approval.waiting'] },
  });
  const counts: Record<string, number> = {
    '/inbox': chats.data?.unassigned ?? 0,
    '/approvals': approvals.data?.length ?? 0,
  };
  for (const { kind, count } of status.data?.problems ?? []) {
    const page = pagesOfProblems[kind];
    if (page) counts[page] = (counts[page] ?? 0) + count;
  }
  return counts;
}
