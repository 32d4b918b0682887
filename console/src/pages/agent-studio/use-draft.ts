import type { Schema } from '@botyard/client/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useActing } from '../../api/acting.tsx';
import { api } from '../../api/api.ts';
import { useAnswer } from '../../api/use-answer.ts';

export type Definition = Schema<'AgentDefinition'>;
export type Draft = Schema<'AgentDraft'>;

const agentPath = '/api/definitions/agents/{id}';
const draftPath = '/api/definitions/agents/{id}/draft';
const typingPauseMs = 700;

/** An agent with its draft, if it has one. `put` replaces both without a request. */
export function useAgentAndDraft(agentId: string) {
  const { as, tenantId } = useActing();
  const queries = useQueryClient();
  const agent = useAnswer(agentPath, { path: { id: agentId } });
  const drafted = useAnswer(draftPath, { path: { id: agentId }, enabled: agent.data?.hasDraft === true });
  const draftKey = [as, tenantId, drafted.address];
  const put = (definition: Definition, draft: Draft | undefined) => {
    if (draft) queries.setQueryData(draftKey, draft);
    queries.setQueryData([as, tenantId, agent.address], { ...definition, hasDraft: draft !== undefined });
    if (!draft) queries.removeQueries({ queryKey: draftKey });
  };
  return { agent, drafted, draft: agent.data?.hasDraft ? drafted.data : undefined, put };
}

interface Saving {
  state: 'saved' | 'saving' | 'unsaved' | 'failed';
  error: Error | null;
}

interface Edits extends Saving {
  /** Takes the form's content, which is saved once nobody types. */
  edit: (content: object) => void;
  /** Saves at once what isn't saved. Resolves to false if something remains unsaved. */
  flush: () => Promise<boolean>;
  forget: () => void;
}

interface Edited {
  agentId: string;
  /** The version that the draft changes. */
  base: number;
  /** The draft if there is one, or the live definition. */
  stored: object;
  /** Another number for each time that the form begins anew with what is stored. */
  round: number;
}

/**
 * Saves edits as the agent's draft by themselves, one request at a time. Only fields that were edited are sent, so that
 * a colleague's edits of other fields stay.
 */
export function useEdits({ agentId, base, stored, round }: Edited, onSaved: (draft: Draft) => void): Edits {
  const [saving, setSaving] = useState<Saving>({ state: 'saved', error: null });
  /** The form's content when it was last the same as what is stored. */
  const saved = useRef({ round: -1, content: stored });
  const unsaved = useRef<object>(null);
  const timer = useRef(0);
  const running = useRef<Promise<boolean>>(null);

  async function saveAll(): Promise<boolean> {
    while (unsaved.current) {
      const content = unsaved.current;
      const changes = changesOf(saved.current.content, content);
      try {
        if (Object.keys(changes).length > 0) {
          setSaving({ state: 'saving', error: null });
          const params = { path: { id: agentId } };
          onSaved(await api.put(draftPath, { params, body: { ...changes, base } }));
        }
        saved.current.content = content;
        if (unsaved.current === content) unsaved.current = null;
      } catch (error) {
        setSaving({ state: 'failed', error: error as Error });
        return false;
      }
    }
    setSaving({ state: 'saved', error: null });
    return true;
  }

  function flush(): Promise<boolean> {
    window.clearTimeout(timer.current);
    running.current ??= saveAll().finally(() => {
      running.current = null;
    });
    return running.current;
  }

  const flushLatest = useEffectEvent(() => void flush());
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return {
    ...saving,
    flush,
    edit(content) {
      if (saved.current.round !== round) saved.current = { round, content: stored };
      unsaved.current = content;
      setSaving({ state: 'unsaved', error: null });
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(flushLatest, typingPauseMs);
    },
    forget() {
      window.clearTimeout(timer.current);
      unsaved.current = null;
      setSaving({ state: 'saved', error: null });
    },
  };
}

/** The fields of `content` that are not the same in `stored`. */
const changesOf = (stored: object, content: object): object =>
  Object.fromEntries(
    Object.entries(content).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(stored[name as keyof typeof stored]),
    ),
  );
