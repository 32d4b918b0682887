import type { SpokenLanguage } from '@botyard/contracts/http/bot-words';
import { arabic } from './ar.ts';
import type { Catalogue } from './catalogue.ts';
import { german } from './de.ts';
import { english } from './en.ts';
import { spanish } from './es.ts';
import { french } from './fr.ts';
import { italian } from './it.ts';
import { japanese } from './ja.ts';
import { portuguese } from './pt.ts';
import { russian } from './ru.ts';
import { turkish } from './tr.ts';
import { ukrainian } from './uk.ts';
import { chinese } from './zh.ts';

/** Every text in every language: one that is missing does not compile. */
export const catalogues: Readonly<Record<SpokenLanguage, Catalogue>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  it: italian,
  ru: russian,
  uk: ukrainian,
  tr: turkish,
  ar: arabic,
  ja: japanese,
  zh: chinese,
};
