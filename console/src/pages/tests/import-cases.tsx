import { useState } from 'react';
import { postAction, useAction } from '../../api/use-action.ts';
import { Button, Choose } from '../../parts/controls.tsx';
import { Popup } from '../../parts/popup.tsx';
import { Fault } from '../../parts/states.tsx';
import { Words } from '../../parts/words.tsx';

const maxUnits = 256 * 1024;
const formats = [
  ['csv', 'CSV: a table with the column message'],
  ['yaml', 'YAML: a list of cases'],
] as const;

/** Adds cases from a file or a pasted text: all of them, or none. */
export function ImportCases({ setId }: { setId: string }) {
  const [isOpen, setOpen] = useState(false);
  const [format, setFormat] = useState<string>('csv');
  const [text, setText] = useState('');
  const [tooLong, setTooLong] = useState(false);
  const action = useAction();
  const read = async (file: File | undefined) => {
    if (!file) return;
    setTooLong(file.size > maxUnits * 4);
    if (file.size > maxUnits * 4) return;
    setFormat(/\.ya?ml$/i.test(file.name) ? 'yaml' : 'csv');
    setText(await file.text());
  };
  const send = () =>
    action.mutate(
      postAction('Cases imported', '/api/evaluations/sets/{setId}/cases/import', {
        names: { setId },
        body: { format, text },
      }),
      {
        onSuccess: () => {
          setOpen(false);
          setText('');
        },
      },
    );
  return (
    <>
      <Button onClick={() => setOpen(true)}>Import …</Button>
      <Popup title="Import cases" isOpen={isOpen} onOpen={setOpen}>
        <p className="text-sm text-soft">
          At most 1,000 cases and 256 kB at once. A table has the column <code>message</code>, and if wanted{' '}
          <code>name</code>, <code>contains</code>, <code>not_contains</code>, <code>matches</code>,{' '}
          <code>language</code> and <code>tool_called</code>.
        </p>
        <label className="grid gap-1 text-sm font-medium">
          File
          <input
            type="file"
            accept=".csv,.yaml,.yml,text/csv"
            onChange={({ target }) => void read(target.files?.[0])}
          />
        </label>
        <Choose
          label="Format"
          value={format}
          options={formats}
          onChoose={(chosen) => setFormat(chosen ?? 'csv')}
        />
        <Words label="Content" value={text} rows={8} isCode onChange={setText} />
        {(tooLong || text.length > maxUnits) && (
          <p className="text-sm text-bad">This is longer than 256 kB. Import it in parts.</p>
        )}
        {action.error && <Fault error={action.error} />}
        <div>
          <Button
            look="main"
            disabled={text === '' || text.length > maxUnits || action.isPending}
            onClick={send}
          >
            Import the cases
          </Button>
        </div>
      </Popup>
    </>
  );
}
