import type { Schema } from '@botyard/client/client';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../parts/controls.tsx';
import { Loaded } from '../../parts/states.tsx';
import { count, Time } from '../../parts/text.tsx';

type Notes = Schema<'ModelNotes'>;

/** Shows parts of requests that the agent's model refuses, and its provider's last refusal. */
export function ModelNotes({ agentId }: { agentId: string }) {
  const notes = useAnswer('/api/agents/{agentId}/model', { path: { agentId } });
  return (
    <Panel title="Model">
      <Loaded answer={notes}>{(found) => <Learned notes={found} />}</Loaded>
    </Panel>
  );
}

function Learned({ notes }: { notes: Notes }) {
  const { leftOut, maxOutputTokens, contextTokens, thinks, learnedAt, refusal } = notes;
  const facts = [
    leftOut.length > 0 && `Left out of requests, because the model refuses it: ${leftOut.join(', ')}.`,
    maxOutputTokens !== undefined && `Its longest answer has ${count(maxOutputTokens)} tokens.`,
    contextTokens !== undefined && `Its context window has ${count(contextTokens)} tokens.`,
    thinks !== undefined && 'It writes its thoughts into its answers. They are removed.',
  ].filter((fact) => fact !== false);
  return (
    <div className="grid gap-2">
      {facts.length === 0 && !refusal && <p className="text-soft">The model accepts everything so far.</p>}
      {facts.map((fact) => (
        <p key={fact}>{fact}</p>
      ))}
      {learnedAt && (
        <p className="text-soft">
          Learned <Time at={learnedAt} />. It is forgotten after 24 hours, and when the agent is changed.
        </p>
      )}
      {refusal && (
        <p>
          The provider refused a request <Time at={refusal.refusedAt} />:{' '}
          <span className="text-bad">{refusal.reason}</span>
        </p>
      )}
    </div>
  );
}
