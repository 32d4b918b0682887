import type { Spread } from '../../rig/series.ts';
import { figure, spread, type Table } from '../../rig/table.ts';

/** An aim of the project with the result of one run. */
export interface Aim {
  id: string;
  what: string;
  wanted: string;
  unit: string;
  /** `undefined` if the software to compare with is not available on this machine. */
  measured: Spread | undefined;
  isMet: boolean | undefined;
}

interface Wanted {
  id: string;
  what: string;
  unit?: string;
  measured: Spread | undefined;
}

/** An aim whose median must not exceed the limit. */
export const atMost = (limit: number, { id, what, unit = '×', measured }: Wanted): Aim => ({
  id,
  what,
  wanted: `≤ ${figure(limit)} ${unit}`,
  unit,
  measured,
  isMet: measured && measured.median <= limit,
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
