import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useActing } from '../api/acting.tsx';
import { putAction, useAction } from '../api/use-action.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Editing } from '../parts/editing.tsx';
import { Page } from '../parts/page.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { languageName } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';

type Speech = Schema<'BotSpeech'>;
type BotShape = Schema<'Bot'>;

/** The texts that a bot sends without a model, one language at a time. */
export function BotWords() {
  const { botId = '', language } = useParams({ strict: false });
  const tenantId = useActing().tenantId ?? '';
  const path = { tenantId, botId };
  const bot = useAnswer('/api/bots/{tenantId}/{botId}', { path, enabled: tenantId !== '' });
  const speech = useAnswer('/api/bots/{tenantId}/{botId}/words', { path, enabled: tenantId !== '' });
  return (
    <Page
      title={bot.data?.name ?? 'Bot'}
      about="Texts that the bot sends without a model, such as greetings and apologies. People get them in the language of their app. An empty field uses the default text."
      answers={[bot, speech]}
    >
      <Loaded answer={bot}>
        {(found) => (
          <Loaded answer={speech}>
            {(spoken) => (
              <>
                <DefaultLanguage bot={found} speech={spoken} />
                <Languages botId={botId} speech={spoken} />
                <Words bot={found} speech={spoken} language={language ?? found.defaultLanguage} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function useChange({ tenantId, botId }: BotShape, what: string) {
  const change = useAction();
  const send = (body: object) =>
    change.mutate(putAction(what, '/api/bots/{tenantId}/{botId}', { names: { tenantId, botId }, body }));
  return { ...change, send };
}

function DefaultLanguage({ bot, speech }: { bot: BotShape; speech: Speech }) {
  const change = useChange(bot, 'Default language saved');
  const savedLanguages = speech.words.map(({ language }) => language);
  return (
    <Panel title="Default language">
      {change.error && <Fault error={change.error} />}
      <Editing value={bot.defaultLanguage} version={bot.defaultLanguage} sending={change}>
        {(language) => (
          <Form onSend={({ defaultLanguage }) => change.send({ defaultLanguage })}>
            <Field
              label="Language"
              name="defaultLanguage"
              hint="Used if a person's language is unknown or has no texts."
              choices={[...new Set([language, ...savedLanguages])]}
              defaultValue={language}
            />
            <SubmitRow button="Save language" look="plain" disabled={change.isPending} />
          </Form>
        )}
      </Editing>
    </Panel>
  );
}

function Languages({ botId, speech }: { botId: string; speech: Speech }) {
  const navigate = useNavigate();
  return (
    <Panel title="Languages">
      <nav aria-label="Languages" className="mb-4 flex flex-wrap gap-3">
        {speech.words.map(({ language, texts }) => {
          const own = Object.values(texts).filter(({ isOwn }) => isOwn).length;
          return (
            <TextLink
              key={language}
              to="/bots/$botId/words/$language"
              params={{ botId, language }}
              activeProps={{ className: 'font-semibold' }}
            >
              {languageName(language)}
              {own > 0 && ` (${own})`}
            </TextLink>
          );
        })}
      </nav>
      <Form
        onSend={({ language = '' }) =>
          void navigate({ to: '/bots/$botId/words/$language', params: { botId, language } })
        }
      >
        <Field
          label="Another language"
          name="language"
          hint='A language tag, for example "nl" or "pt-BR".'
          isRequired
        />
        <SubmitRow button="Show texts" look="plain" isForMembers />
      </Form>
    </Panel>
  );
}

function Words({ bot, speech, language }: { bot: BotShape; speech: Speech; language: string }) {
  const change = useChange(bot, 'Texts saved');
  const texts = speech.words.find((one) => one.language === language)?.texts;
  const stored = bot.words[language] ?? {};
  const send = (fields: Record<string, string>) => {
    const { [language]: _before, ...others } = bot.words;
    const written = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));
    change.send({ words: Object.keys(written).length > 0 ? { ...others, [language]: written } : others });
  };
  return (
    <Panel title={`Texts in ${languageName(language)}`}>
      {change.error && <Fault error={change.error} />}
      <Editing value={stored} version={JSON.stringify([language, stored])} sending={change}>
        {(own) => (
          <Form onSend={send}>
            {speech.keys.map(({ key, when, placeholders }) => {
              const byDefault = texts?.[key]?.default ?? '';
              const named = placeholders.map((name) => `{${name}}`).join(', ');
              return (
                <Field
                  key={key}
                  label={key.replaceAll('_', ' ')}
                  name={key}
                  hint={named ? `${when} Placeholders: ${named}.` : when}
                  placeholder={byDefault}
                  defaultValue={own[key] ?? ''}
                  isLong={`${byDefault}${own[key] ?? ''}`.includes('\n')}
                  lang={language}
                />
              );
            })}
            <SubmitRow button="Save texts" disabled={change.isPending} />
          </Form>
        )}
      </Editing>
    </Panel>
  );
}
