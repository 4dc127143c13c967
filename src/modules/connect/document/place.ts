// A place in a document, and where references lead. A reference may have keys beside it: the
// standards once said to ignore them, but documents rely on them to say `readOnly` of one use of a
// shared schema. So following one gives layers, the outermost first, each with the file that its
// own references are relative to; what a key says is what the first layer that has it says.

import { getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { connectLimits } from "../limits.ts";
import { escapeToken, formatPointer, getAt } from "../../../kernel/pointer.ts";
import type { Documents } from "./load.ts";
import { targetOf } from "./location.ts";

export interface Place {
  readonly file: string;
  readonly pointer: string;
  readonly node: Json;
}

export interface Layers {
  readonly layers: readonly Place[];
  /** What was referred to on the way, as file#pointer; the last is the thing itself. */
  readonly refs: readonly string[];
}

export function rootOf({ root, files }: Documents): Place {
  return { file: root, pointer: "", node: files.get(root) ?? null };
}

export function rootsOf({ root, roots = [root], files }: Documents): readonly Place[] {
  return roots.map((file) => ({ file, pointer: "", node: files.get(file) ?? null }));
}

/** The value of a key or an index, without following anything. */
export function below({ file, pointer, node }: Place, ...keys: string[]): Place | undefined {
  let at: Json | undefined = node;
  let path = pointer;
  for (const key of keys) {
    at = isJsonArray(at) ? at[Number(key)] : isJsonObject(at) ? getOwn(at, key) : undefined;
    path += `/${escapeToken(key)}`;
  }
  return at === undefined ? undefined : { file, pointer: path, node: at };
}

export function idOf({ file, pointer }: Place): string {
  return `${file}#${pointer}`;
}

export function objectOf({ node }: Place): JsonObject {
  return isJsonObject(node) ? node : {};
}

/** The thing itself last; references that lead nowhere or in a circle end the layers. */
export function follow(documents: Documents, place: Place): Layers {
  const layers: Place[] = [];
  const refs: string[] = [];
  let at: Place | undefined = place;
  while (at !== undefined) {
    layers.push(at);
    const ref: Json | undefined = isJsonObject(at.node) ? getOwn(at.node, "$ref") : undefined;
    if (typeof ref !== "string") break;
    const next = placeAt(documents, ref, at);
    if (next === undefined) break;
    const id = idOf(next);
    if (refs.includes(id) || refs.length >= connectLimits.maxRefs) {
      problemAt(documents, at, `${ref} refers to itself`);
      break;
    }
    refs.push(id);
    at = next;
  }
  return { layers, refs };
}

/** What a key says: in the first layer that has it. */
export function keyOf({ layers }: Layers, key: string): Place | undefined {
  for (const layer of layers) {
    const found = below(layer, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function textOf(layers: Layers, key: string): string {
  const found = keyOf(layers, key)?.node;
  return typeof found === "string" ? found : "";
}

/** Where a reference leads, told as a problem when that is nowhere. */
export function placeAt(documents: Documents, ref: string, from: Place): Place | undefined {
  const target = targetOf(ref, from.file);
  const file = target === undefined ? undefined : documents.files.get(target.file);
  if (target === undefined || file === undefined) {
    const why =
      target === undefined ? "is not a reference to a value" : "is not in a file that was read";
    problemAt(documents, from, `${ref} ${why}`);
    return undefined;
  }
  const node = getAt(file, target.tokens);
  if (node === undefined) {
    problemAt(documents, from, `${ref} does not exist`);
    return undefined;
  }
  return { file: target.file, pointer: formatPointer(target.tokens), node };
}

function problemAt({ problems }: Documents, { file, pointer }: Place, message: string): void {
  problems.add({ severity: "error", file, pointer, message });
}
