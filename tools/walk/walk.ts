import { childrenOf, type Declared, isFunction, type Node, type Program } from './program.ts';

/** An unbroken run of calls inside one file. */
export interface Stay {
  path: string;
  functions: Declared[];
}

/**
 * Follows one parameter of a function through the calls that get it, in the order of the calls, each function once.
 * Without a parameter, all calls are followed.
 */
export function walk(program: Program, start: Declared, parameter?: string): Stay[] {
  const stays: Stay[] = [];
  const seen = new Set<Declared['node']>();
  const enter = (declared: Declared, tracked: ReadonlySet<string>) => {
    if (stays.at(-1)?.path !== declared.path) stays.push({ path: declared.path, functions: [] });
    stays.at(-1)?.functions.push(declared);
    if (seen.has(declared.node)) return;
    seen.add(declared.node);
    if (declared.node.body) follow(declared.node.body, declared.path, new Set(tracked));
  };
  const follow = (node: Node, path: string, tracked: Set<string>): void => {
    if (node.type === 'VariableDeclarator' && node.init) {
      follow(node.init, path, tracked);
      if (node.id.type === 'Identifier' && !isFunction(node.init) && holds(node.init, tracked))
        tracked.add(node.id.name);
      return;
    }
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') {
      for (const child of childrenOf(node)) follow(child, path, tracked);
      return;
    }
    for (const child of childrenOf(node)) follow(child, path, tracked);
    const callee = program.calleeOf(node.callee, path);
    if (!callee) return;
    const passed = node.arguments.map((argument) => holds(argument, tracked));
    if (parameter && !passed.includes(true)) return;
    enter(
      callee,
      new Set(callee.node.params.flatMap((param, index) => (passed[index] ? namesIn(param, parameter) : []))),
    );
  };
  enter(start, new Set(parameter ? [parameter] : []));
  return stays;
}

/** Whether a value is the parameter or an object that contains it; a part of it is not. */
function holds(node: Node, tracked: ReadonlySet<string>): boolean {
  switch (node.type) {
    case 'Identifier':
      return tracked.has(node.name);
    case 'ObjectExpression':
      return node.properties.some((property) =>
        holds(property.type === 'SpreadElement' ? property.argument : property.value, tracked),
      );
    case 'ArrayExpression':
      return node.elements.some((element) => element !== null && holds(element, tracked));
    case 'MemberExpression':
      return (
        node.property.type === 'Identifier' && tracked.has(node.property.name) && holds(node.object, tracked)
      );
    case 'ArrowFunctionExpression':
      return mentions(node.body, tracked);
    default:
      return false;
  }
}

function mentions(node: Node, tracked: ReadonlySet<string>): boolean {
  return holds(node, tracked) || childrenOf(node).some((child) => mentions(child, tracked));
}

/** A destructured parameter keeps the value only under its own name. */
function namesIn(param: Node, parameter: string | undefined): string[] {
  if (param.type === 'Identifier') return [param.name];
  if (param.type === 'AssignmentPattern') return namesIn(param.left, parameter);
  if (param.type !== 'ObjectPattern') return [];
  return param.properties.flatMap((property) =>
    property.type === 'Property' && property.value.type === 'Identifier' && property.value.name === parameter
      ? [property.value.name]
      : [],
  );
}
