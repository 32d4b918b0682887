/** The cases of one test set. */
export interface Suite {
  name: string;
  cases: readonly SuiteCase[];
}

interface SuiteCase {
  name: string;
  seconds: number;
  faults: readonly string[];
  /** Why it is neither passed nor failed. */
  undecided?: string | undefined;
}

/** The report that build servers read. */
export function junitOf(suites: readonly Suite[]): string {
  const lines = suites.flatMap(({ name, cases }) => [
    `  <testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failuresIn(cases)}" errors="${errorsIn(cases)}">`,
    ...cases.map((one) => {
      const open = `    <testcase name="${escaped(one.name)}" classname="${escaped(name)}" time="${one.seconds}"`;
      const result = resultOf(one);
      return result === '' ? `${open}/>` : `${open}>${result}</testcase>`;
    }),
    '  </testsuite>',
  ]);
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...lines, '</testsuites>', ''].join('\n');
}

function resultOf({ faults, undecided }: SuiteCase): string {
  if (faults.length > 0) return `<failure message="${escaped(faults.join('; '))}"/>`;
  return undecided === undefined ? '' : `<error message="${escaped(undecided)}"/>`;
}

const errorsIn = (cases: Suite['cases']) =>
  cases.filter(({ faults, undecided }) => faults.length === 0 && undecided !== undefined).length;
const failuresIn = (cases: Suite['cases']) => cases.filter(({ faults }) => faults.length > 0).length;

/** Without the characters that XML can't hold. */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;');
