/** Quotes a CSV cell. A leading `'` keeps spreadsheets from reading a value as a formula. */
const cell = (value: string | number): string => {
  const text = String(value);
  return `"${/^[=+\-@\t\r]/.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`;
};

/** The lines as a CSV file, the first with the names of the columns. */
export const toCsv = (lines: readonly (readonly (string | number)[])[]): Blob =>
  new Blob([lines.map((line) => line.map(cell).join(',')).join('\r\n')], { type: 'text/csv' });
