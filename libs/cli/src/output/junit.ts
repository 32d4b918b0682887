/** The cases of one test set. */
export interface Suite {
  name: string;
  cases: readonly { name: string; seconds: number; faults: readonly string[] }[];
}

/** The report that build servers read. */
export function junitOf(suites: readonly Suite[]): string {
  const lines = suites.flatMap(({ name, cases }) => [
    `  <testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failuresIn(cases)}">`,
    ...cases.map((one) => {
      const open = `    <testcase name="${escaped(one.name)}" classname="${escaped(name)}" time="${one.seconds}"`;
      return one.faults.length === 0
        ? `${open}/>`
        : `${open}><failure message="${escaped(one.faults.join('; '))}"/></testcase>`;
    }),
    '  </testsuite>',
  ]);
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...lines, '</testsuites>', ''].join('\n');
}

const failuresIn = (cases: Suite['cases']) => cases.filter(({ faults }) => faults.length > 0).length;

/** Without the characters that XML can't hold. */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;');
