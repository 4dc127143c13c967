// Where the cursor is in a YAML text that may be incomplete: the path of the object, and whether a
// field or a value is being written. Indentation is enough for that, and a parser needs more.

export interface YamlPlace {
  /** Of the object that the line belongs to. */
  readonly path: readonly (string | number)[];
  /** The field whose value is being written; undefined while its name is. */
  readonly field: string | undefined;
  /** What is written of it so far. */
  readonly written: string;
}

interface Line {
  readonly indent: number;
  readonly isItem: boolean;
  readonly name: string | undefined;
}

const keyPattern =
  /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s:#'"-][^:#]*?|-[^\s:][^:]*?))\s*:(?=\s|$)/;

/** `before` is the text up to the cursor. */
export function yamlPlace(before: string): YamlPlace {
  const lines = before.split("\n");
  const current = lines.at(-1) ?? "";
  const { indent, isItem, rest } = shapeOf(current);
  const named = keyPattern.exec(rest);
  const path = pathAbove(lines.slice(0, -1), indent, isItem);
  if (named === null) return { path, field: undefined, written: rest };
  const field = named[1] ?? named[2] ?? named[3] ?? "";
  return { path, field, written: rest.slice(named[0].length).trimStart() };
}

/** The lines above with less indentation, from the nearest to the top. */
function pathAbove(
  lines: readonly string[],
  indent: number,
  isItem: boolean,
): readonly (string | number)[] {
  const path: (string | number)[] = isItem ? [0] : [];
  let limit = isItem ? indent - 2 : indent;
  let mayMatchItem = isItem;
  for (const text of lines.toReversed()) {
    if (text.trim() === "" || text.trimStart().startsWith("#")) continue;
    const line = lineOf(text);
    const isAbove = line.indent < limit || (mayMatchItem && line.indent <= limit && !line.isItem);
    if (!isAbove) {
      // The first field of the item that the cursor is in: "- name: x".
      if (line.isItem && line.indent === limit && !mayMatchItem && path.length >= 0) {
        path.unshift(0);
        limit = line.indent - 2;
        mayMatchItem = true;
      }
      continue;
    }
    if (line.name === undefined) continue;
    path.unshift(line.name);
    limit = line.isItem ? line.indent - 2 : line.indent;
    mayMatchItem = line.isItem;
    if (line.isItem) path.unshift(0);
    if (line.indent === 0) break;
  }
  return path;
}

/** The indentation of an item is that of its content: two more than its dash. */
function shapeOf(text: string): { indent: number; isItem: boolean; rest: string } {
  const spaces = text.length - text.trimStart().length;
  const content = text.slice(spaces);
  const dash = /^-\s+/.exec(`${content} `);
  if (dash === null) return { indent: spaces, isItem: false, rest: content };
  const width = Math.min(dash[0].length, content.length);
  return { indent: spaces + 2, isItem: true, rest: content.slice(width) };
}

function lineOf(text: string): Line {
  const { indent, isItem, rest } = shapeOf(text);
  const named = keyPattern.exec(rest);
  const name = named === null ? undefined : (named[1] ?? named[2] ?? named[3]);
  return { indent, isItem, name };
}
