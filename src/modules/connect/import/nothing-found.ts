// Why a document has no resources. An import that proposes nothing says what it looked for and what
// is missing, so that its user can tell a document of calls from one that was not read whole.

import type { ServiceOperation } from "./operations.ts";
import type { PathGroup } from "./resources.ts";
import { isParameter } from "./paths.ts";

export interface NothingInput {
  /** Paths in the document. */
  readonly paths: number;
  readonly operations: readonly ServiceOperation[];
  readonly groups: ReadonlyMap<string, PathGroup>;
}

/** The reason, and what to do about it. */
export function nothingFound({ paths, operations, groups }: NothingInput): string {
  if (paths === 0) return "the document has no paths, so there is nothing to import";
  if (operations.length === 0) {
    return (
      `none of the ${count(paths, "path")} has an operation that was read: if the operations are ` +
      "in other files, check the errors above and that those files are next to the document"
    );
  }
  const items = [...groups.values()].filter(({ segments }) => isParameter(segments.at(-1)));
  if (items.length === 0) {
    return (
      `none of the ${count(groups.size, "path")} ends with a parameter, as /things/{id} does: ` +
      "objects without a path of their own cannot be managed"
    );
  }
  const read = items.filter(({ operations: own }) => own.has("get"));
  const [example] = items;
  if (read.length === 0) {
    const where = `such as ${example?.text ?? ""}`;
    return `no path that ends with a parameter (${where}) can be read with GET`;
  }
  return (
    `${count(read.length, "path")} can be read, such as ${read[0]?.text ?? ""}, but none can be ` +
    "created, changed or deleted with a JSON or form body"
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
