import { useBlocker, useNavigate, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { deleteAction, postAction } from '../../api/use-action.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button, Panel, SubmitRow } from '../../parts/controls.tsx';
import { Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { AgentForm, contentOf } from './agent-form.tsx';
import { DraftBar } from './draft-bar.tsx';
import { ModelNotes } from './model-notes.tsx';
import { Releases } from './releases/releases.tsx';
import { Trial } from './trial.tsx';
import { type Definition, type Draft, useAgentAndDraft, useEdits } from './use-draft.ts';
import { useQuestion } from './use-question.ts';
import { Versions } from './versions.tsx';

/** An agent: its draft on the left, the trial beside it. */
export function Studio() {
  const { agentId = '' } = useParams({ strict: false });
  const { agent, drafted, draft, put } = useAgentAndDraft(agentId);
  const mayChange = useMayChange();
  return (
    <Page
      title={agent.data?.name ?? 'Agent'}
      answers={[agent]}
      actions={agent.data && <Actions agent={agent.data} />}
      isWide
    >
      <Loaded answer={agent}>
        {(live) =>
          !mayChange ? (
            <Panel>
              <AgentForm agent={live} error={null}>
                <SubmitRow button="Save" />
              </AgentForm>
            </Panel>
          ) : live.hasDraft && !draft ? (
            <Loaded answer={drafted}>{() => null}</Loaded>
          ) : (
            <Workplace key={live.id} agent={live} draft={draft} put={put} />
          )
        }
      </Loaded>
    </Page>
  );
}

interface WorkplaceProps {
  agent: Definition;
  draft: Draft | undefined;
  put: (definition: Definition, draft: Draft | undefined) => void;
}

const panes = { edit: 'Edit', try: 'Try' } as const;

function Workplace({ agent, draft, put }: WorkplaceProps) {
  const form = useRef<HTMLFormElement>(null);
  const [pane, setPane] = useState<keyof typeof panes>('edit');
  const question = useQuestion();
  const stored = draft?.updatedAt ?? `version ${agent.version}`;
  const [shown, show] = useState({ stored, round: 0 });
  const edits = useEdits(
    {
      agentId: agent.id,
      base: draft?.base ?? agent.version,
      stored: draft ?? agent,
      round: shown.round,
    },
    (saved) => {
      put(agent, saved);
      show(({ round }) => ({ stored: saved.updatedAt, round }));
    },
  );
  const isSaved = edits.state === 'saved';
  const isElsewhere = stored !== shown.stored;
  // Without unsaved edits, the form begins anew with what a colleague saved.
  if (isElsewhere && isSaved) show({ stored, round: shown.round + 1 });
  useBlocker({
    shouldBlockFn: async () =>
      !(await edits.flush()) && !window.confirm('Your last edits could not be saved. Leave without them?'),
    enableBeforeUnload: () => !isSaved,
    disabled: isSaved,
  });
  const endDraft = () => {
    edits.forget();
    put(agent, undefined);
  };
  const releasable = {
    hasChanges: (draft?.changed.length ?? 0) > 0,
    flush: edits.flush,
    onEnd: endDraft,
  };
  return (
    <>
      <DraftBar agent={agent} draft={draft} edits={edits} onEnd={endDraft} />
      <fieldset className="flex gap-1 rounded-lg bg-sunk p-1 lg:hidden">
        <legend className="sr-only">Pane</legend>
        {(Object.keys(panes) as (keyof typeof panes)[]).map((one) => (
          <Button
            key={one}
            look={one === pane ? 'plain' : 'quiet'}
            aria-pressed={one === pane}
            className="flex-1 justify-center"
            onClick={() => setPane(one)}
          >
            {panes[one]}
          </Button>
        ))}
      </fieldset>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(22rem,2fr)] xl:grid-cols-[minmax(0,3fr)_minmax(26rem,2fr)]">
        <div className={`grid gap-5 ${pane === 'edit' ? '' : 'max-lg:hidden'}`}>
          <Panel title="Draft">
            <AgentForm
              key={shown.round}
              agent={draft ?? agent}
              form={form}
              error={edits.error}
              onEdit={edits.edit}
              onSend={() => void edits.flush()}
            />
          </Panel>
          <ModelNotes agentId={agent.id} />
          <Releases agentId={agent.id} draft={releasable} />
          <Versions agentId={agent.id} />
        </div>
        <div
          className={`lg:sticky lg:top-20 lg:flex lg:max-h-[calc(100dvh-14rem)] lg:min-h-96 lg:flex-col ${pane === 'try' ? '' : 'max-lg:hidden'}`}
        >
          <Trial
            key={question.data}
            agentId={agent.id}
            question={question.data}
            readContent={() => form.current && contentOf(form.current)}
          />
        </div>
      </div>
    </>
  );
}

function Actions({ agent }: { agent: Definition }) {
  const navigate = useNavigate();
  const path = '/api/definitions/agents/{id}';
  const names = { id: agent.id };
  return (
    <>
      {agent.publication ? (
        <ActButton action={postAction('No longer shared in the marketplace', `${path}/unpublish`, { names })}>
          Stop sharing
        </ActButton>
      ) : (
        <ActButton
          ask="Share this agent in the marketplace? Every tenant will be able to read and copy it."
          action={postAction('Shared in the marketplace', `${path}/publish`, { names })}
        >
          Share in the marketplace
        </ActButton>
      )}
      <ActButton
        look="bad"
        ask="Delete this agent? It can't be deleted while bots use it."
        action={deleteAction('Agent deleted', path, names)}
        onDone={() => navigate({ to: '/agents' })}
      >
        Delete
      </ActButton>
    </>
  );
}
