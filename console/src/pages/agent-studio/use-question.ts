import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useActing } from '../../api/acting.tsx';
import { api } from '../../api/api.ts';

/** The messages that were answered with the trace in the address, as one text. Without a trace there is none. */
export function useQuestion() {
  const { as, tenantId } = useActing();
  const { trace: traceId } = useSearch({ strict: false });
  return useQuery({
    queryKey: [as, tenantId, 'question', traceId],
    enabled: traceId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { deliveries } = await api.get('/api/context-traces/{traceId}', {
        signal,
        params: { path: { traceId: traceId! } },
      });
      const messages = await Promise.all(
        deliveries.map(({ messageId }) =>
          api.get('/api/interactions/messages/{messageId}', { signal, params: { path: { messageId } } }),
        ),
      );
      return messages.map(({ text }) => text).join('\n');
    },
  });
}
