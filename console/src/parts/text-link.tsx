import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

/** A link to a page of the console that looks like one: in a text, or as a cell of a table. */
export const TextLink = createLink(({ className = '', ...rest }: ComponentProps<'a'>) => (
  <a {...rest} className={`text-accent underline ${className}`} />
));
