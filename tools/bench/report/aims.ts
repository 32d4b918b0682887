import type { Spread } from '../measure/series.ts';
import { figure, spread, type Table } from './table.ts';

/** What the project wants to reach, and what one run found. */
export interface Aim {
  id: string;
  what: string;
  wanted: string;
  unit: string;
  /** `undefined` where what it is compared with isn't on this machine. */
  measured: Spread | undefined;
  isMet: boolean | undefined;
}

interface Wanted {
  id: string;
  what: string;
  unit?: string;
  measured: Spread | undefined;
}

/** Judged by the median. */
export const atMost = (limit: number, { id, what, unit = '×', measured }: Wanted): Aim => ({
  id,
  what,
  wanted: `≤ ${figure(limit)} ${unit}`,
  unit,
  measured,
  isMet: measured && measured.median <= limit,
});

export const atLeast = (limit: number, { id, what, unit = '×', measured }: Wanted): Aim => ({
  id,
  what,
  wanted: `≥ ${figure(limit)} ${unit}`,
  unit,
  measured,
  isMet: measured && measured.median >= limit,
});

export function aimsTable(aims: readonly Aim[]): Table {
  return {
    title: 'Aims',
    head: ['', 'what', 'wanted', 'measured', 'met'],
    rows: aims.map(({ id, what, wanted, measured, isMet }) => [
      id,
      what,
      wanted,
      spread(measured),
      isMet === undefined ? 'not measured' : isMet ? 'yes' : 'NO',
    ]),
    notes: ['Medians over the rounds of ratios within a round. No aim ever fails a run.'],
  };
}
