// The value of a string or bytes literal. In bytes, \x and octal escapes are bytes; in strings
// they are code points. Line ends inside triple quotes become "\n" whatever the file has.

export type Unescaped<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "problem"; readonly message: string };

export function unescapeString(literal: string): Unescaped<string> {
  const parts: string[] = [];
  const problem = unescape(literal, false, {
    text: (text) => parts.push(text),
    byte: (byte) => parts.push(String.fromCodePoint(byte)),
  });
  return problem === undefined
    ? { kind: "value", value: parts.join("") }
    : { kind: "problem", message: problem };
}

/** The literal comes without its leading b. */
export function unescapeBytes(literal: string): Unescaped<Uint8Array> {
  const parts: Buffer[] = [];
  const problem = unescape(literal, true, {
    text: (text) => parts.push(Buffer.from(text, "utf8")),
    byte: (byte) => parts.push(Buffer.from([byte])),
  });
  return problem === undefined
    ? { kind: "value", value: new Uint8Array(Buffer.concat(parts)) }
    : { kind: "problem", message: problem };
}

interface Sink {
  readonly text: (text: string) => void;
  readonly byte: (byte: number) => void;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

function unescape(literal: string, isBytes: boolean, sink: Sink): string | undefined {
  const normalized = literal.replaceAll(/\r\n?/g, "\n");
  const isRaw = /^[rR]/.test(normalized);
  const quoted = isRaw ? normalized.slice(1) : normalized;
  const quotes = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  const body = quoted.slice(quotes, -quotes);
  if (isRaw) {
    sink.text(body);
    return undefined;
  }
  const pattern =
    /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu;
  let end = 0;
  for (const match of body.matchAll(pattern)) {
    sink.text(body.slice(end, match.index));
    end = match.index + match[0].length;
    const problem = unescapeOne(match, isBytes, sink);
    if (problem !== undefined) return problem;
  }
  sink.text(body.slice(end));
  return undefined;
}

function unescapeOne(match: RegExpExecArray, isBytes: boolean, sink: Sink): string | undefined {
  const [, hex, unicode, wide, octal, plain] = match;
  const narrow = hex ?? octal;
  if (narrow !== undefined) {
    sink.byte(Number.parseInt(narrow, hex === undefined ? 8 : 16));
    return undefined;
  }
  const code = unicode ?? wide;
  if (code !== undefined) {
    if (isBytes) return "unable to unescape string";
    const point = Number.parseInt(code, 16);
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
      return "invalid unicode code point";
    }
    sink.text(String.fromCodePoint(point));
    return undefined;
  }
  const simple = Object.hasOwn(simpleEscapes, plain ?? "") ? simpleEscapes[plain ?? ""] : undefined;
  if (simple === undefined) return "unable to unescape string";
  sink.text(simple);
  return undefined;
}
