import { useState } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { deleteAction, useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/controls.tsx';
import { Popup } from '../../parts/popup.tsx';
import { Fault, Loaded } from '../../parts/states.tsx';
import { type EditedCase, emptyCase, toBody, toEdited } from './case-draft.ts';
import { EditCase } from './edit-case.tsx';

interface CaseDialogProps {
  setId: string;
  /** `new` for a case that doesn't exist yet. */
  caseId: string;
  onClose: () => void;
}

/** A case of a set, to be changed by hand. */
export function CaseDialog({ setId, caseId, onClose }: CaseDialogProps) {
  return (
    <Popup title={caseId === 'new' ? 'Add a case' : 'Case'} isOpen onOpen={onClose}>
      {caseId === 'new' ? (
        <CaseForm setId={setId} caseId={null} stored={emptyCase} onClose={onClose} />
      ) : (
        <StoredCase setId={setId} caseId={caseId} onClose={onClose} />
      )}
    </Popup>
  );
}

const casePath = '/api/evaluations/sets/{setId}/cases/{caseId}';

function StoredCase({ setId, caseId, onClose }: CaseDialogProps) {
  const stored = useAnswer(casePath, { path: { setId, caseId } });
  return (
    <Loaded answer={stored}>
      {(loaded) => (
        <CaseForm
          key={loaded.updatedAt}
          setId={setId}
          caseId={caseId}
          stored={toEdited(loaded)}
          onClose={onClose}
        />
      )}
    </Loaded>
  );
}

interface CaseFormProps extends Omit<CaseDialogProps, 'caseId'> {
  caseId: string | null;
  stored: EditedCase;
}

function CaseForm({ setId, caseId, stored, onClose }: CaseFormProps) {
  const [edited, edit] = useState(stored);
  const [fault, setFault] = useState<Error>();
  const action = useAction();
  const mayChange = useMayChange();
  const send = async (remove: boolean) => {
    setFault(undefined);
    try {
      const names = caseId === null ? { setId } : { setId, caseId };
      const path = caseId === null ? ('/api/evaluations/sets/{setId}/cases' as const) : casePath;
      if (remove) await action.mutateAsync(deleteAction('Case deleted', path, names));
      else
        await action.mutateAsync({
          what: 'Case saved',
          method: caseId === null ? 'post' : 'put',
          path,
          names,
          body: toBody(edited),
        });
      onClose();
    } catch (error) {
      setFault(error as Error);
    }
  };
  return (
    <>
      <EditCase value={edited} onChange={edit} />
      {fault && <Fault error={fault} />}
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button look="main" disabled={action.isPending} onClick={() => void send(false)}>
            Save the case
          </Button>
          {caseId !== null && (
            <Button
              look="bad"
              disabled={action.isPending}
              onClick={() => window.confirm('Delete this case?') && void send(true)}
            >
              Delete the case
            </Button>
          )}
        </div>
      )}
    </>
  );
}
