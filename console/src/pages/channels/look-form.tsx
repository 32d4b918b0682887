import type { Schema } from '@botyard/client/client';
import { useRef, useState } from 'react';
import { putAction, useAction } from '../../api/use-action.ts';
import { Choose, Field, Form, Panel, readForm, SubmitRow } from '../../parts/controls.tsx';
import { issueAt } from '../../parts/issue-at.ts';
import { Fault } from '../../parts/states.tsx';
import { languageName } from '../../parts/text.tsx';
import { ChatPreview } from './chat-preview.tsx';
import { HourFields } from './hour-fields.tsx';
import { type Look, storedWords, usualColor, withTyped } from './look.ts';

/** Languages of the widget's own words; the tenant's may be in any other. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'ar'];

interface LookFormProps {
  channel: Schema<'Integration'>;
  previewPath: string;
}

export function LookForm({ channel, previewPath }: LookFormProps) {
  const { tenantId, botId, integrationId, integrationType } = channel;
  const stored = channel.settings.webchat ?? {};
  const [look, setLook] = useState<Look>({
    theme: stored.theme ?? {},
    words: stored.words ?? {},
    hours: stored.hours ?? null,
    answersByMail: stored.answersByMail ?? 'offered',
    thumbs: stored.thumbs ?? 'offered',
  });
  const [language, setLanguage] = useState(Object.keys(look.words)[0] ?? 'en');
  const form = useRef<HTMLFormElement>(null);
  const save = useAction();
  const read = () => form.current && setLook(withTyped(look, language, readForm(form.current)));
  const send = () =>
    save.mutate(
      putAction('Look saved', '/api/bots/{tenantId}/{botId}/integrations/{integrationId}', {
        names: { tenantId, botId, integrationId },
        body: {
          settings: {
            [integrationType]: {
              theme: look.theme,
              words: storedWords(look.words),
              hours: look.hours,
              answersByMail: look.answersByMail,
              thumbs: look.thumbs,
            },
          },
        },
      }),
    );
  const issueOf = (...place: string[]) => issueAt(save.error, 'settings', integrationType, ...place);
  const tags = [...new Set([...Object.keys(look.words), ...languages])];
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_38rem]">
      <Panel title="Look and words">
        {save.error && <Fault error={save.error} />}
        <div onInput={read}>
          <Form form={form} onSend={send}>
            <LookFields look={look} issueOf={issueOf} />
            <Choose
              label="Language"
              value={language}
              options={tags.map((tag) => [tag, languageName(tag)])}
              onChoose={(tag) => setLanguage(tag ?? language)}
            />
            <WordFields
              key={language}
              words={look.words[language] ?? {}}
              language={language}
              issueOf={issueOf}
            />
            <HourFields hours={stored.hours ?? null} issueOf={issueOf} />
            <SubmitRow button="Save" disabled={save.isPending} />
          </Form>
        </div>
      </Panel>
      <ChatPreview look={look} language={language} path={previewPath} />
    </div>
  );
}

type IssueOf = (...place: string[]) => string | undefined;

function LookFields({ look: { theme, answersByMail, thumbs }, issueOf }: { look: Look; issueOf: IssueOf }) {
  return (
    <>
      <Field
        label="Color"
        name="color"
        type="color"
        defaultValue={theme.color ?? usualColor}
        issue={issueOf('theme', 'color')}
      />
      <Field
        label="Corner of the page"
        name="position"
        options={[
          ['right', 'Right'],
          ['left', 'Left'],
        ]}
        defaultValue={theme.position ?? 'right'}
      />
      <Field
        label="Light or dark"
        name="appearance"
        options={[
          ['auto', 'As the visitor’s system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        defaultValue={theme.appearance ?? 'auto'}
      />
      <Field
        label="Answers by email"
        name="answersByMail"
        options={[
          ['offered', 'Offered to visitors'],
          ['none', 'Not offered'],
        ]}
        hint="For answers that visitors miss. It needs an email channel of the bot that can send."
        defaultValue={answersByMail}
      />
      <Field
        label="Thumbs at answers"
        name="thumbs"
        options={[
          ['offered', 'Offered to visitors'],
          ['none', 'Not offered'],
        ]}
        hint="Visitors rate answers of the AI. The inbox and the outcomes of releases show it."
        defaultValue={thumbs}
      />
    </>
  );
}

interface WordFieldsProps {
  words: Look['words'][string];
  language: string;
  issueOf: IssueOf;
}

function WordFields({ words, language, issueOf }: WordFieldsProps) {
  return (
    <>
      <Field
        label="Heading"
        name="title"
        lang={language}
        defaultValue={words.title ?? ''}
        issue={issueOf('words', language, 'title')}
      />
      <Field
        label="Greeting"
        name="greeting"
        lang={language}
        rows={3}
        hint="The first message of the chat."
        defaultValue={words.greeting ?? ''}
        issue={issueOf('words', language, 'greeting')}
      />
      <Field
        label="Suggestions"
        name="suggestions"
        lang={language}
        rows={3}
        hint="Questions that a visitor asks with one press: one on each line, at most 6."
        defaultValue={words.suggestions?.join('\n') ?? ''}
        issue={issueOf('words', language, 'suggestions')}
      />
      <Field
        label="Outside of the hours"
        name="away"
        lang={language}
        rows={2}
        hint="What visitors read when nobody is there. The bot goes on answering."
        defaultValue={words.away ?? ''}
        issue={issueOf('words', language, 'away')}
      />
    </>
  );
}
