import { type ESTree, parseSync } from 'vite';
import { importsOf, type SourceFile } from '../../test/support/sources.ts';

export type Node = ESTree.Node;
type FunctionNode = ESTree.Function | ESTree.ArrowFunctionExpression;

/** The code that a call runs. */
type Code = Pick<FunctionNode, 'start' | 'body' | 'params'>;

/** A function, a constant that holds one, a method of a class, or a prepared statement. */
export interface Declared {
  /** `function` or `Class.method`. */
  name: string;
  path: string;
  line: number;
  node: Code;
  isStatement: boolean;
}

/** Functions of the services and their libraries, by the names under which each file can call them. */
export class Program {
  readonly #files = new Map<
    string,
    { functions: Map<string, Declared>; imports: Map<string, [string, string]> }
  >();
  /** Classes by name, and the names of the types that properties of interfaces and classes have. */
  readonly #classes = new Map<string, Map<string, Declared>>();
  readonly #typesOfProperties = new Map<string, Set<string>>();

  constructor(sources: SourceFile[]) {
    for (const file of sources) this.#read(file);
  }

  /** The function `name` of a file. @throws if the file has none. */
  find(path: string, name: string): Declared {
    const declared = this.#files.get(path)?.functions.get(name);
    if (!declared) throw new Error(`${path} has no function ${name}`);
    return declared;
  }

  /** The function that a call in this file runs; `undefined` for one of a package, or of a value of unknown type. */
  calleeOf(callee: Node, path: string): Declared | undefined {
    if (callee.type === 'Identifier') return this.#byName(callee.name, path);
    if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
    const method = callee.property.name;
    const { object } = callee;
    if (object.type === 'ThisExpression') return this.#files.get(path)?.functions.get(method);
    const owner = object.type === 'MemberExpression' ? object.property : object;
    if (owner.type !== 'Identifier') return undefined;
    const types = [...(this.#typesOfProperties.get(owner.name) ?? [])];
    const methods = types.flatMap((type) => this.#classes.get(type)?.get(method) ?? []);
    return methods.length === 1 ? methods[0] : undefined;
  }

  #byName(name: string, path: string): Declared | undefined {
    const file = this.#files.get(path);
    const [target, exported] = file?.imports.get(name) ?? [path, name];
    return this.#files.get(target)?.functions.get(exported);
  }

  #read(file: SourceFile): void {
    const functions = new Map<string, Declared>();
    this.#files.set(file.path, { functions, imports: importedFunctions(file) });
    for (const statement of parseSync(file.path, file.text).program.body) {
      const declaration =
        'declaration' in statement && statement.declaration ? statement.declaration : statement;
      for (const { name, className, ...code } of functionsOf(declaration)) {
        const line = file.text.slice(0, code.node.start).split('\n').length;
        const declared = { name: className ? `${className}.${name}` : name, path: file.path, line, ...code };
        functions.set(name, declared);
        if (className) this.#methodsOf(className).set(name, declared);
      }
      if (declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'ClassDeclaration')
        this.#readProperties(declaration.body.body);
    }
  }

  #methodsOf(className: string): Map<string, Declared> {
    const methods = this.#classes.get(className) ?? new Map<string, Declared>();
    this.#classes.set(className, methods);
    return methods;
  }

  #readProperties(members: readonly Node[]): void {
    for (const member of members) {
      if (member.type !== 'TSPropertySignature' && member.type !== 'PropertyDefinition') continue;
      const name = nameOf(member.key);
      if (!name || !member.typeAnnotation) continue;
      const types = this.#typesOfProperties.get(name) ?? new Set();
      this.#typesOfProperties.set(name, types);
      visit(member.typeAnnotation, (node) => {
        if (node.type === 'TSTypeReference' && node.typeName.type === 'Identifier')
          types.add(node.typeName.name);
      });
    }
  }
}

function importedFunctions(file: SourceFile): Map<string, [path: string, name: string]> {
  const imports = new Map<string, [string, string]>();
  for (const { target, names } of importsOf(file))
    for (const [local, exported] of names) if (target) imports.set(local, [target, exported]);
  return imports;
}

type NamedFunction = Pick<Declared, 'name' | 'node' | 'isStatement'> & { className?: string };

function functionsOf(declaration: Node): NamedFunction[] {
  switch (declaration.type) {
    case 'FunctionDeclaration':
      return declaration.id ? [{ name: declaration.id.name, node: declaration, isStatement: false }] : [];
    case 'VariableDeclaration':
      return declaration.declarations.flatMap(({ id, init }) => {
        const code = isFunction(init) ? { node: init, isStatement: false } : statementIn(init);
        return id.type === 'Identifier' && code ? [{ name: id.name, ...code }] : [];
      });
    case 'ClassDeclaration':
      return declaration.body.body.flatMap((member) => {
        const name = member.type === 'MethodDefinition' ? nameOf(member.key) : undefined;
        if (!name || member.type !== 'MethodDefinition') return [];
        return [{ name, node: member.value, isStatement: false, className: declaration.id?.name ?? '' }];
      });
    default:
      return [];
  }
}

/** The calls of a prepared statement are those of its definition, which gets no parameter. */
function statementIn(init: Node | null): Pick<Declared, 'node' | 'isStatement'> | undefined {
  if (init?.type !== 'CallExpression' || init.callee.type !== 'Identifier') return undefined;
  const [body] = init.arguments;
  if (init.callee.name !== 'preparedStatement' || body?.type !== 'ObjectExpression') return undefined;
  return { node: { start: init.start, params: [], body }, isStatement: true };
}

const nameOf = (key: Node): string | undefined =>
  key.type === 'Identifier' || key.type === 'PrivateIdentifier' ? key.name : undefined;

export const isFunction = (node: unknown): node is FunctionNode =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(
    (node as Node | null)?.type ?? '',
  );

/** Children of a node, in the order of the text. */
export const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value?.type === 'string')
    .toSorted((left, right) => left.start - right.start);

export function visit(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const child of childrenOf(node)) visit(child, see);
}
