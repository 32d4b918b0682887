import type { Schema } from '@botyard/client/client';
import { cleanParameter, fillGaps, templateLimits } from '@botyard/contracts/template-text';
import { ArrowLeft, SendHorizontal } from 'lucide-react';
import { useId, useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Button, Form } from '../../parts/controls.tsx';
import { useFirstFocus } from '../../parts/use-first-focus.ts';
import { chatPath } from './actions.ts';
import { Composer } from './composer.tsx';
import { useOutgoing } from './outgoing-lines.tsx';

type Template = Schema<'MessageTemplate'>;
const templatesPath = `${chatPath}/templates` as const;

interface ReplyProps {
  chatId: string;
  /** True right after the person took the chat over: they want to write. */
  isBegun: boolean;
  onTyping: (isTyping: boolean) => void;
}

/** The composer, or the picker of templates while the platform takes nothing else. */
export function Reply({ chatId, isBegun, onTyping }: ReplyProps) {
  const templates = useAnswer(templatesPath, {
    path: { chatId },
    // A message from a person opens the window.
    live: { events: ['message.received'], chatId },
  });
  // If the templates can't be read, the API still refuses a text that comes too late.
  if (templates.data?.isWindowOpen !== false)
    return <Composer chatId={chatId} isBegun={isBegun} onTyping={onTyping} />;
  return <TemplateReply chatId={chatId} isBegun={isBegun} />;
}

function TemplateReply({ chatId, isBegun }: Omit<ReplyProps, 'onTyping'>) {
  const [template, setTemplate] = useState<Template>();
  const [isReturned, setReturned] = useState(false);
  const { send } = useOutgoing(chatId);
  const leave = () => {
    setReturned(true);
    setTemplate(undefined);
  };
  return (
    <section
      aria-label="Template"
      className="grid max-h-[60dvh] grid-cols-[minmax(0,1fr)] gap-3 overflow-y-auto rounded-xl border border-line bg-panel p-3"
    >
      <p role="status" className="text-sm">
        The last message is older than 24 hours. WhatsApp takes only an approved template now.
      </p>
      {template ? (
        <TemplateForm
          template={template}
          onLeave={leave}
          onSend={(text, parameters) => {
            send({ text, template: { name: template.name, language: template.language, parameters } });
            leave();
          }}
        />
      ) : (
        <TemplatePicker chatId={chatId} isFocused={isBegun || isReturned} onPick={setTemplate} />
      )}
    </section>
  );
}

interface PickerProps {
  chatId: string;
  isFocused: boolean;
  onPick: (template: Template) => void;
}

function TemplatePicker({ chatId, isFocused, onPick }: PickerProps) {
  const id = useId();
  const field = useFirstFocus<HTMLInputElement>(isFocused);
  const [q, search] = useState('');
  const { data } = useAnswer(templatesPath, { path: { chatId }, query: { q: q.trim() || undefined } });
  return (
    <>
      <label htmlFor={id} className="sr-only">
        Search templates
      </label>
      <input
        id={id}
        type="search"
        dir="auto"
        data-reply
        maxLength={200}
        ref={field}
        value={q}
        onChange={({ target }) => search(target.value)}
        placeholder="Search templates…"
        className="min-h-9 w-full rounded-md border border-line bg-panel px-3 py-1.5 placeholder:text-soft"
      />
      {data?.templates.length === 0 && <p className="text-sm text-soft">No template can be sent.</p>}
      <ul aria-label="Templates" className="grid grid-cols-[minmax(0,1fr)]">
        {data?.templates.map((template) => (
          <li key={`${template.name} ${template.language}`}>
            <button
              type="button"
              onClick={() => onPick(template)}
              className="grid w-full cursor-pointer grid-cols-[minmax(0,1fr)] rounded-md px-3 py-1.5 text-left text-sm hover:bg-hover"
            >
              <span className="truncate font-medium">
                <bdi>{template.name}</bdi> · {template.language}
              </span>
              <bdi className="truncate text-soft">{template.body}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {data?.isCut && <p className="text-xs text-soft">There are more: narrow the search.</p>}
      {data && data.unavailable.length > 0 && (
        <details className="text-sm">
          <summary className="cursor-pointer text-soft">Cannot be sent: {data.unavailable.length}</summary>
          <ul className="mt-1 grid gap-1 px-3 [overflow-wrap:anywhere]">
            {data.unavailable.map(({ name, language, reason }) => (
              <li key={`${name} ${language}`}>
                <bdi className="font-medium">{name}</bdi> · {language}: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface TemplateFormProps {
  template: Template;
  onLeave: () => void;
  onSend: (text: string, parameters: string[]) => void;
}

function TemplateForm({ template, onLeave, onSend }: TemplateFormProps) {
  const id = useId();
  const { name, language, header, body, footer, buttons, parameters } = template;
  const firstField = useFirstFocus<HTMLInputElement>();
  const sendButton = useFirstFocus<HTMLButtonElement>(parameters.length === 0);
  const [values, setValues] = useState<readonly string[]>(() => parameters.map(() => ''));
  const filled = parameters.flatMap((parameter, index): [string, string][] => {
    const value = cleanParameter(values[index] ?? '');
    return value === '' ? [] : [[parameter.name, value]];
  });
  const text = fillGaps(body, new Map(filled));
  const isComplete = filled.length === parameters.length;
  const set = (index: number, value: string) => setValues(values.with(index, value));
  return (
    <Form onSend={() => isComplete && onSend(text, values.map(cleanParameter))}>
      <p className="text-sm font-medium [overflow-wrap:anywhere]">
        <bdi>{name}</bdi> · {language}
      </p>
      {parameters.map((parameter, index) => (
        <div key={parameter.name} className="grid gap-1">
          <label htmlFor={`${id}-${index}`} className="text-sm font-medium">
            {`{{${parameter.name}}}`}
          </label>
          <input
            id={`${id}-${index}`}
            dir="auto"
            autoComplete="off"
            required
            pattern=".*\S.*"
            maxLength={templateLimits.parameterUnits}
            ref={index === 0 ? firstField : undefined}
            value={values[index]}
            onChange={({ target }) => set(index, target.value)}
            placeholder={parameter.example}
            className="min-h-9 w-full rounded-md border border-line bg-panel px-3 py-1.5 placeholder:text-soft"
          />
        </div>
      ))}
      <figure
        aria-label="Preview"
        className="grid grid-cols-[minmax(0,1fr)] gap-1 rounded-2xl rounded-tr-sm bg-staff-tint px-3.5 py-2 [overflow-wrap:anywhere]"
      >
        {header && <bdi className="font-semibold">{header}</bdi>}
        <bdi className="whitespace-pre-wrap">{text}</bdi>
        {footer && <bdi className="text-sm text-soft">{footer}</bdi>}
        {buttons.map((label) => (
          <bdi key={label} className="border-t border-line pt-1 text-center text-sm font-medium">
            {label}
          </bdi>
        ))}
      </figure>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="main" icon={SendHorizontal} ref={sendButton}>
          Send template
        </Button>
        <Button icon={ArrowLeft} onClick={onLeave}>
          Other template
        </Button>
      </div>
    </Form>
  );
}
