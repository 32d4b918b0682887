import { createRequire } from 'node:module';
import type { ConfigOptions, MathJsInstance, MathNode } from 'mathjs';

/** The fault of an expression, in a text for its author. */
export class CalculationError extends Error {
  override readonly name = 'CalculationError';
}

const functions = new Set(
  `abs cbrt ceil exp expm1 fix floor gcd hypot lcm log log10 log1p log2 max mean median min mod nthRoot number pow round
  sign sqrt square cube std sum variance to unit
  acos acosh acot asin asinh atan atan2 atanh cos cosh cot csc sec sin sinh tan tanh
  combinations factorial permutations`.split(/\s+/),
);
const operators = new Set(
  `add subtract multiply divide pow mod unaryMinus unaryPlus factorial to
  equal unequal smaller smallerEq larger largerEq`.split(/\s+/),
);
const constants = new Set(['pi', 'PI', 'tau', 'e', 'E', 'phi', 'i', 'true', 'false']);

const precision = 64;
const shownDigits = 32;

/**
 * A calculator with exact decimals (64 digits), complex numbers and units. Expressions are limited to an allow-list: no
 * definitions, no objects, no text, and only mathematical functions. Their time is not limited (`1e9!`): run them where
 * they can be terminated.
 */
export function createCalculation(): (expression: string) => string {
  const math = loadMath();
  return (expression) => {
    const value = attempt(() => {
      const node = math.parse(expression);
      node.traverse((part, path) => check(math, part, path));
      return node.compile().evaluate({}) as unknown;
    });
    if (!isShowable(math, value)) throw new CalculationError('the result is too large or undefined');
    const digits = math.isBigNumber(value) && value.isInteger() ? precision : shownDigits;
    return math.format(value, { precision: digits, lowerExp: -12, upperExp: digits });
  };
}

/** Loads the library's bundle in 60 ms and 37 MB; its separate modules take half a second and 85 MB. */
function loadMath(): MathJsInstance {
  const bundle = createRequire(import.meta.url)('mathjs/lib/browser/math.js') as {
    create(config: ConfigOptions): MathJsInstance;
  };
  return bundle.create({ number: 'BigNumber', precision });
}

/** @throws CalculationError with the library's text, which concerns only the expression. */
function attempt(calculate: () => unknown): unknown {
  try {
    return calculate();
  } catch (error) {
    if (error instanceof CalculationError) throw error;
    const message = error instanceof Error ? error.message : 'it cannot be calculated';
    throw new CalculationError(message.slice(0, 200), { cause: error });
  }
}

function check(math: MathJsInstance, node: MathNode, path: string): void {
  const part = node as MathNode & { fn?: unknown; name?: string; value?: unknown };
  switch (part.type) {
    case 'ParenthesisNode':
    case 'RelationalNode':
      return;
    case 'ConstantNode':
      if (typeof part.value !== 'string') return;
      throw new CalculationError('texts can not be used in calculations');
    case 'OperatorNode':
      if (operators.has(String(part.fn))) return;
      throw new CalculationError(`there is no operator ${String(part.fn)}`);
    case 'FunctionNode':
      if ((part.fn as MathNode).type === 'SymbolNode') return;
      throw new CalculationError('only functions with a name can be called');
    case 'SymbolNode':
      checkName(math, part.name ?? '', path === 'fn');
      return;
    default:
      throw new CalculationError('only numbers, units, operators and functions can be used');
  }
}

function checkName(math: MathJsInstance, name: string, isCalled: boolean): void {
  if (isCalled) {
    if (functions.has(name)) return;
    throw new CalculationError(`there is no function ${name.slice(0, 50)}`);
  }
  if (constants.has(name)) return;
  const isUnit = !Object.hasOwn(math, name) && math.Unit.isValuelessUnit(name);
  if (!isUnit) throw new CalculationError(`${name.slice(0, 50)} is no constant and no unit`);
}

/** Not infinite, not NaN, and a number rather than another object of the library. */
function isShowable(math: MathJsInstance, value: unknown): boolean {
  switch (math.typeOf(value)) {
    case 'number':
    case 'BigNumber':
      return math.isFinite(value as number) === true;
    case 'Unit':
    case 'Complex':
      return !/NaN|Infinity/.test(math.format(value));
    case 'boolean':
      return true;
    default:
      return false;
  }
}
