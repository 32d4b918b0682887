import { z } from 'zod';

/** Limits of the choices under a message. */
export const choiceLimits = { choices: 10, textUnits: 40 };

/** Control characters, line breaks, and characters that change the direction of a text. */
const unsafe = /[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029]/u;

/** A text on a button. */
export const Choice = z
  .string()
  .trim()
  .min(1)
  .max(choiceLimits.textUnits)
  .refine((text) => !unsafe.test(text), 'must not contain line breaks, control or direction characters')
  .refine((text) => text.isWellFormed(), 'must not contain half of a character');

/** Texts that a person can choose from under a message: the chosen one counts as the person's message. */
export const Choices = z
  .array(Choice)
  .min(1)
  .max(choiceLimits.choices)
  .refine((texts) => new Set(texts).size === texts.length, 'must be different texts');
