import type { SetUpStep } from '@botyard/contracts/platforms/definition';
import { linesOf } from '../../parts/split-text.ts';

/** A credential or a setting, as its platform's definition describes it. */
export interface PlatformField {
  name: string;
  part: 'credentials' | 'settings';
  label: string;
  help?: string;
  choices?: Readonly<Record<string, string>>;
  /** A secret is never shown again. An object has an editor of its own. */
  kind: 'text' | 'secret' | 'choice' | 'list' | 'object';
  isRequired: boolean;
}

/** A platform that a bot can be connected to: its form, and the steps around it. */
export interface PlatformForm {
  name: string;
  title: string;
  icon: string;
  about: string;
  setUp: { before: readonly SetUpStep[]; after: readonly SetUpStep[] };
  previewPath?: string;
  installs: boolean;
  registersWebhook: boolean;
  fields: readonly PlatformField[];
}

type Values = Readonly<Record<string, unknown>>;

/** The stored values that may be shown, by the names of their fields. */
export interface ShownValues {
  maskedCredentials: Values;
  settings: Readonly<Record<string, Values | undefined>>;
}

/** The stored value of a field as a form shows it; nothing of a secret. */
export function shownValue({ name }: PlatformForm, field: PlatformField, shown?: ShownValues): string {
  if (field.kind === 'secret' || !shown) return '';
  const value = (field.part === 'credentials' ? shown.maskedCredentials : shown.settings[name])?.[field.name];
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : '';
}

/** The request's parts of a filled form: only values that differ from the stored ones. An empty secret is kept. */
export function bodyOf(form: PlatformForm, typed: Readonly<Record<string, string>>, shown?: ShownValues) {
  const changed = form.fields.filter(
    (field) => field.name in typed && typed[field.name] !== shownValue(form, field, shown),
  );
  const valuesOf = (part: PlatformField['part']) =>
    Object.fromEntries(
      changed
        .filter((field) => field.part === part)
        .map(({ name, kind }) => [name, kind === 'list' ? linesOf(typed[name]!) : typed[name]!]),
    );
  const settings = valuesOf('settings');
  const hasSettings = Object.keys(settings).length > 0;
  return {
    credentials: valuesOf('credentials'),
    ...(hasSettings ? { settings: { [form.name]: settings } } : {}),
  };
}
