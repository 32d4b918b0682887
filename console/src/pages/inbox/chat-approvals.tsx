import { ShieldQuestion } from 'lucide-react';
import { useActing } from '../../api/acting.tsx';
import { useList } from '../../api/use-answer.ts';
import { useExternalTools } from '../../api/use-config.ts';
import { Time } from '../../parts/text.tsx';
import { Decide, ExactArguments, namesOf } from '../approvals.tsx';
import { TicketQuestions } from '../ticket-questions.tsx';

interface ChatApprovalsProps {
  chatId: string;
  botId: string;
}

/** The calls of tools that wait for a decision in this chat, for those who may decide. */
export function ChatApprovals({ chatId, botId }: ChatApprovalsProps) {
  const { role, isOperator } = useActing();
  const mayDecide = isOperator || role === 'admin';
  const tickets = useList('/api/integrations/pending', {
    query: { botId, limit: 500 },
    enabled: useExternalTools() && mayDecide,
    live: { events: ['approval.waiting', 'chat.updated'], chatId },
  });
  const own = tickets.data?.filter((ticket) => ticket.chatId === chatId) ?? [];
  return own.map(({ ticketId, toolkit, tool, requesters, argumentsText, input, expiresAt }) => (
    <section
      key={ticketId}
      aria-label={`Approval of ${toolkit} ${tool}`}
      className="grid gap-2 rounded-xl border border-warn bg-warn-tint p-3"
    >
      <p className="flex flex-wrap items-center gap-x-2 text-sm">
        <ShieldQuestion aria-hidden="true" className="size-4 text-warn" />
        <strong>
          {toolkit} {tool}
        </strong>
        <span>
          waits for your {input ? 'answer' : 'approval'}, requested by <bdi>{namesOf(requesters)}</bdi>, until{' '}
          <Time at={expiresAt} />
        </span>
      </p>
      <div className="grid max-h-40 overflow-auto">
        <ExactArguments text={argumentsText} />
      </div>
      {input ? <TicketQuestions ticketId={ticketId} input={input} /> : <Decide ticketId={ticketId} />}
    </section>
  ));
}
