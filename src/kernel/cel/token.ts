// The tokens of CEL, with the names that syntax errors use for them.

export type TokenKind =
  | "=="
  | "!="
  | "in"
  | "<"
  | "<="
  | ">="
  | ">"
  | "&&"
  | "||"
  | "["
  | "]"
  | "{"
  | "}"
  | "("
  | ")"
  | "."
  | ","
  | "-"
  | "!"
  | "?"
  | ":"
  | "+"
  | "*"
  | "/"
  | "%"
  | "true"
  | "false"
  | "null"
  | "NUM_FLOAT"
  | "NUM_INT"
  | "NUM_UINT"
  | "STRING"
  | "BYTES"
  | "IDENTIFIER"
  | "ESC_IDENTIFIER"
  | "<EOF>";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

/** The order of the grammar, in which syntax errors list what they expected. */
const grammarOrder: readonly TokenKind[] = [
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
];

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
  return grammarOrder.indexOf(kind);
}
