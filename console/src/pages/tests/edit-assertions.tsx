import { Plus, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button, Choose, Field, IconButton, readForm } from '../../parts/controls.tsx';
import { type Assertion, assertionKinds, assertionOf, inWords } from './assertion-words.ts';

interface EditAssertionsProps {
  assertions: readonly Assertion[];
  onChange: (assertions: Assertion[]) => void;
}

/** The assertions of a case in plain words, with a way to remove each and to add one. */
export function EditAssertions({ assertions, onChange }: EditAssertionsProps) {
  const [type, setType] = useState<string>('contains');
  const [fault, setFault] = useState('');
  const [added, setAdded] = useState(0);
  const fields = useRef<HTMLFormElement>(null);
  const kind = assertionKinds.find((one) => one.type === type);
  const add = () => {
    if (!fields.current) return;
    try {
      const values = readForm(fields.current);
      const isMissing = kind?.inputs.some(({ name, isOptional }) => !isOptional && !values[name]);
      if (isMissing) return setFault('Fill in what is to be checked.');
      onChange([...assertions, assertionOf(type, values)]);
      setAdded(added + 1);
      setFault('');
    } catch {
      setFault('This is no JSON.');
    }
  };
  return (
    <section aria-label="Checks" className="grid gap-3">
      <h3 className="font-semibold">What the answer has to fulfil</h3>
      {assertions.length === 0 && (
        <p className="text-sm text-soft">Nothing is checked yet. The case then only shows both answers.</p>
      )}
      <ul className="grid gap-1">
        {assertions.map((assertion, at) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: two assertions may be the same
            key={at}
            className="flex items-center justify-between gap-2 rounded-md bg-sunk px-3 py-1 text-sm"
          >
            <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
              {inWords(assertion)}
            </span>
            <IconButton
              icon={X}
              label={`Remove: ${inWords(assertion)}`}
              onClick={() => onChange(assertions.filter((_, index) => index !== at))}
            />
          </li>
        ))}
      </ul>
      <form
        ref={fields}
        key={`${type} ${added}`}
        className="grid items-end gap-3 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Choose
          label="Add a check"
          value={type}
          options={assertionKinds.map((one) => [one.type, one.title] as const)}
          onChoose={(chosen) => setType(chosen ?? 'contains')}
        />
        {kind?.inputs.map(({ name, label, isNumber, isJson }) => (
          <Field
            key={name}
            label={label}
            name={name}
            {...(isNumber ? { type: 'number' as const } : {})}
            {...(isJson ? { rows: 3, isCode: true } : {})}
          />
        ))}
        <div>
          <Button type="submit" icon={Plus}>
            Add the check
          </Button>
        </div>
      </form>
      <p role="status" className="text-sm text-bad">
        {fault}
      </p>
    </section>
  );
}
