// The tokens of CEL, with the names that syntax errors use for them.

/** The order of the grammar, in which syntax errors list what they expected. */
const grammarOrder = [
  "==",
  "!=",
  "in",
  "<",
  "<=",
  ">=",
  ">",
  "&&",
  "||",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
  "true",
  "false",
  "null",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
] as const;

export type TokenKind = (typeof grammarOrder)[number] | "<EOF>";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

/** The kinds that are written in signs; what is longer comes first where both could match. */
export const operators: readonly TokenKind[] = grammarOrder
  .filter((kind) => !/^[A-Za-z]/.test(kind))
  .toSorted((a, b) => b.length - a.length);

/** What an expression can begin with. */
export const expressionStart: readonly TokenKind[] = [
  "[",
  "{",
  "(",
  ".",
  "-",
  "!",
  "true",
  "false",
  "null",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
];

/** "'['" for what is written so, "STRING" for a class, "{...}" for several. */
export function expectation(kinds: readonly TokenKind[]): string {
  const names = [...kinds]
    .sort((a, b) => rank(a) - rank(b))
    .map((kind) => (/^[A-Z<]/.test(kind) && kind !== "<" && kind !== "<=" ? kind : `'${kind}'`));
  return names.length === 1 ? names.join("") : `{${names.join(", ")}}`;
}

/** The end of the text stands before all others, as in {<EOF>, ')'}. */
function rank(kind: TokenKind): number {
  return kind === "<EOF>" ? -1 : grammarOrder.indexOf(kind);
}
