// What may be done with each field of an object, found by walking beside the document. The deepest
// entry that names a place decides its class; what somebody else owns, what is secret and what may
// be replaced holds for all that lies below. A place that no entry names may be written.

import { parsePointer } from "../../../kernel/pointer.ts";
import type { FieldClass, FieldEntry, ListEntry, Management } from "../binding.ts";

export interface FieldRule {
  readonly class: FieldClass;
  readonly isSecret: boolean;
  /** The RestKind says that it is not secret, whatever it is called. */
  readonly isPlain: boolean;
  /** Somebody else owns it: it is set at the creation only. */
  readonly isLeft: boolean;
  /** A change may remove the object and make it anew. */
  readonly isReplaceable: boolean;
}

export interface Fields {
  readonly rule: FieldRule;
  /** Undefined where a list is compared in order, as a whole. */
  readonly keys: readonly string[] | undefined;
  child(key: string): Fields;
  /** Of any element of a list. */
  element(): Fields;
}

export interface FieldTree {
  readonly roots: readonly Node[];
}

interface Node {
  class: FieldClass | undefined;
  isSecret: boolean;
  isPlain: boolean;
  isLeft: boolean;
  isReplaceable: boolean;
  keys: readonly string[] | undefined;
  readonly children: Map<string, Node>;
}

/** The key that stands for every other one. */
const every = "*";
const free: FieldRule = {
  class: "writable",
  isSecret: false,
  isPlain: false,
  isLeft: false,
  isReplaceable: false,
};

export function fieldTree(fields: readonly FieldEntry[], lists: readonly ListEntry[]): FieldTree {
  const root = newNode();
  for (const entry of fields) {
    const node = nodeAt(root, entry.path);
    node.class = entry.class;
    if (entry.isSecret === true) node.isSecret = true;
    if (entry.isSecret === false) node.isPlain = true;
  }
  for (const { path, keys } of lists) nodeAt(root, path).keys = keys;
  return { roots: [root] };
}

/** With what a resource itself says about its fields. */
export function fieldsFor({ roots }: FieldTree, management: Management = {}): Fields {
  const { leave = [], replace = [], secrets = [] } = management;
  if (leave.length + replace.length + secrets.length === 0) return fieldsAt(roots, free);
  const own = newNode();
  for (const path of leave) nodeAt(own, path).isLeft = true;
  for (const path of replace) nodeAt(own, path).isReplaceable = true;
  for (const { field } of secrets) nodeAt(own, field).isSecret = true;
  return fieldsAt([...roots, own], free);
}

function fieldsAt(nodes: readonly Node[], inherited: FieldRule): Fields {
  const rule = nodes.reduce<FieldRule>(
    (above, node) => ({
      class: node.class ?? above.class,
      isSecret: above.isSecret || node.isSecret,
      isPlain: above.isPlain || node.isPlain,
      isLeft: above.isLeft || node.isLeft,
      isReplaceable: above.isReplaceable || node.isReplaceable,
    }),
    inherited,
  );
  const child = (key: string): Fields => fieldsAt(below(nodes, key), rule);
  return {
    rule,
    keys: nodes.find(({ keys }) => keys !== undefined)?.keys,
    child,
    element: () => child(every),
  };
}

/** What is meant for every key comes first, so that the one that is named has the last word. */
function below(nodes: readonly Node[], key: string): readonly Node[] {
  return nodes.flatMap(({ children }) => {
    const named = key === every ? undefined : children.get(key);
    return [children.get(every), named].filter((node) => node !== undefined);
  });
}

function nodeAt(root: Node, pointer: string): Node {
  let node = root;
  for (const token of parsePointer(pointer)) {
    const next = node.children.get(token) ?? newNode();
    node.children.set(token, next);
    node = next;
  }
  return node;
}

function newNode(): Node {
  return {
    class: undefined,
    isSecret: false,
    isPlain: false,
    isLeft: false,
    isReplaceable: false,
    keys: undefined,
    children: new Map(),
  };
}
