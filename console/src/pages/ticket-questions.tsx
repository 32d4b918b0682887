import { postAction, useAction } from '../api/use-action.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, type InputType, SubmitRow } from '../parts/controls.tsx';
import { issueAt } from '../parts/issue-at.ts';
import { type InputField, readInputs, type TicketInput } from './ticket-inputs.ts';

/** The questions of a tool's server in the middle of a call, as a form. Its words are a stranger's. */
export function TicketQuestions({ ticketId, input }: { ticketId: string; input: TicketInput }) {
  const act = useAction();
  const path = '/api/integrations/pending/{ticketId}';
  const names = { ticketId };
  return (
    <section aria-label="Question of the tool's server" className="grid min-w-64 gap-3 text-start">
      <p className="text-sm">
        The server of this tool asks for the following before it goes on. The answers are sent to it: give
        none that it doesn't need.
      </p>
      <Form
        key={input.round}
        onSend={(values) => {
          const body = { inputs: readInputs(input.forms, values) };
          act.mutate(postAction('Answers sent', `${path}/approve`, { names, body }));
        }}
      >
        {input.forms.map((form, index) => (
          <fieldset key={form.key} className="grid gap-3">
            <legend className="mb-2 border-s-2 border-line ps-3 text-sm whitespace-pre-wrap">
              <bdi>{form.message}</bdi>
            </legend>
            {form.fields.map((field, place) => (
              <Question
                key={field.name}
                name={`${index}.${place}`}
                field={field}
                issue={issueAt(act.error, 'inputs', form.key, field.name)}
              />
            ))}
          </fieldset>
        ))}
        <SubmitRow button="Send answers" disabled={act.isPending}>
          <ActButton look="bad" action={postAction('Call rejected', `${path}/reject`, { names, body: {} })}>
            Reject
          </ActButton>
        </SubmitRow>
      </Form>
    </section>
  );
}

const typeOfFormat: Readonly<Record<string, InputType>> = { email: 'email', uri: 'url', date: 'date' };

interface QuestionProps {
  name: string;
  field: InputField;
  issue: string | undefined;
}

function Question({ name, field, issue }: QuestionProps) {
  const { title, description, kind, options, isRequired, format } = field;
  const label = isRequired ? title : `${title} (optional)`;
  const common = { name, label, issue, isRequired, ...(description === '' ? {} : { hint: description }) };
  const nothing = ['', 'Choose…'] as const;
  switch (kind) {
    case 'boolean':
      return <Field {...common} options={[nothing, ['true', 'Yes'], ['false', 'No']]} />;
    case 'choice':
      return <Field {...common} options={[nothing, ...options.map(toOption)]} />;
    case 'choices':
      return (
        <fieldset className="grid gap-1">
          <legend className="text-sm font-medium">{label}</legend>
          {options.map((option, index) => (
            <label key={option.value} className="flex items-center gap-2 text-sm">
              <input type="checkbox" name={`${name}.${index}`} /> <bdi>{option.title}</bdi>
            </label>
          ))}
          {issue && <p className="text-sm text-bad">{issue}</p>}
        </fieldset>
      );
    case 'text':
      return <Field {...common} type={format ? typeOfFormat[format] : 'text'} />;
    default:
      return <Field {...common} type="number" />;
  }
}

const toOption = (option: { title: string }, index: number) => [String(index), option.title] as const;
