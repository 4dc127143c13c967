// Splits the text of a label selector into words and marks. Marks are the longest of
// ! = == != ( ) , < > that fits; everything else up to white space or a mark is a word. Words are
// not judged here: "in" is an operator or a key depending on where it stands.

export interface SelectorToken {
  readonly isWord: boolean;
  readonly text: string;
}

const tokenPattern = /\s+|([!=]=|[!=(),<>])|([^\s!=(),<>]+)/gy;

export function scanSelector(text: string): readonly SelectorToken[] {
  const tokens: SelectorToken[] = [];
  for (const [, mark, word] of text.matchAll(tokenPattern)) {
    if (word !== undefined) tokens.push({ isWord: true, text: word });
    else if (mark !== undefined) tokens.push({ isWord: false, text: mark });
  }
  return tokens;
}
