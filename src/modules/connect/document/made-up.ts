// Documents for tests, which stand in the test instead of in files.

import type { Json } from "../../../kernel/json.ts";
import { loadDocument } from "./load.ts";
import type { Documents, LoadOptions } from "./load.ts";

/** Where the first file of a made-up document lies. */
export const madeUpRoot = "file:///made-up/openapi.json";

/** The first file is the document; texts are as they are, values become JSON. */
export async function madeUp(
  files: Readonly<Record<string, Json>>,
  options: LoadOptions & { readonly root?: string } = {},
): Promise<Documents> {
  const root = options.root ?? madeUpRoot;
  const texts = new Map(
    Object.entries(files).map(([name, value], index) => [
      index === 0 ? root : new URL(name, root).href,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  const read = (file: string): Promise<string> => {
    const text = texts.get(file);
    return text === undefined ? Promise.reject(new Error("no such file")) : Promise.resolve(text);
  };
  return await loadDocument(root, read, options);
}
