import { childrenOf, everyNode, isSyntax, parseTypeScript, type Syntax } from './syntax';

/**
 * Whether a source file declares `Symbol.member.member`. The symbol is anything with a name of its
 * own (const, function, class, type); each member a key nearest below it: a field of a type, a
 * method, a property of an object literal, a zod shape.
 */
export function declares(source: string, symbol: string): boolean {
  const [name = '', ...members] = symbol.split('.');
  for (const node of everyNode(parseTypeScript(source))) {
    if (declaredName(node) === name && holds(node, members)) return true;
  }
  return false;
}

function declaredName(node: Syntax): unknown {
  const names: Record<string, string> = {
    VariableDeclarator: 'id',
    FunctionDeclaration: 'identifier',
    ClassDeclaration: 'identifier',
    TsInterfaceDeclaration: 'id',
    TsTypeAliasDeclaration: 'id',
  };
  const identifier = node[names[String(node['type'])] ?? ''];
  return isSyntax(identifier) ? identifier['value'] : undefined;
}

function holds(node: Syntax, members: readonly string[]): boolean {
  const [first, ...rest] = members;
  if (first === undefined) return true;
  return nearestKeys(node).some(([key, below]) => key === first && holds(below, rest));
}

const keyed = [
  'KeyValueProperty',
  'MethodProperty',
  'TsPropertySignature',
  'TsMethodSignature',
  'ClassProperty',
  'ClassMethod',
];

/** Keyed nodes with no other keyed node in between. */
function nearestKeys(node: Syntax): [key: unknown, node: Syntax][] {
  return childrenOf(node).flatMap((child): [unknown, Syntax][] => {
    if (child['type'] === 'TsTupleElement' && isSyntax(child['label'])) {
      return [[child['label']['value'], child]];
    }
    const { key } = child;
    return keyed.includes(String(child['type'])) && isSyntax(key)
      ? [[key['value'], child]]
      : nearestKeys(child);
  });
}
