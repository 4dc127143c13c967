// What calls cost, by the shape of the work: fixed, one walk over the text, text times pattern
// and so on. Each shape knows the estimate and the bill, so that the two cannot drift apart.
// The numbers are those of cel-go and of Kubernetes: they decide which rules a CRD may have.

import {
  add,
  exactly,
  multiply,
  noBound,
  regexFactor,
  scale,
  traversalFactor,
} from "./estimates.ts";
import { union } from "./estimates.ts";
import type { Range } from "./estimates.ts";
import type { CallCost, CallEstimate, CostNode, EstimatedCall } from "./functions.ts";
import { sizeOf } from "./sizes.ts";
import type { CelValue } from "./values.ts";

/** One unit, even where cel-go would look at sizes. */
export const fixed = (units: number): CallCost => ({
  estimate: () => ({ cost: exactly(units) }),
  bill: () => units,
});

/** The shorter one of two texts has to be walked. */
export const smallerText: CallCost = {
  estimate: ({ args, sizeOf: size }) => ({ cost: smaller(args.map(size)) }),
  bill:
    () =>
    ([a = null, b = null]) =>
      walk(Math.min(sizeOf(a), sizeOf(b))),
};

function smaller(sizes: readonly Range[]): Range {
  const max = Math.min(...sizes.map((size) => size.max));
  return scale({ min: max > 0 ? 1 : 0, max }, traversalFactor);
}

const largestFormatName = 64;

/** Library values compare at once; the rest walks. */
export const equality: CallCost = {
  estimate: (call) => {
    const [a, b] = call.args;
    const name = a?.type.name;
    const isLibrary =
      (a?.type.kind === "struct" || a?.type.kind === "opaque") && name === b?.type.name;
    if (isLibrary && name !== undefined) {
      if (name === "kubernetes.NamedFormat") {
        return { cost: scale({ min: 1, max: largestFormatName }, traversalFactor) };
      }
      if (name === "kubernetes.URL") {
        const max = b?.size?.max ?? 1;
        return { cost: scale({ min: 1, max }, traversalFactor) };
      }
      if (/^(?:kubernetes|net)\./.test(name)) return { cost: exactly(1) };
    }
    return smallerText.estimate(call);
  },
  bill:
    () =>
    ([a = null, b = null]) => {
      if (typeof a === "number") return 1;
      if (typeof a === "object" && a?.kind === "opaque") return 1;
      return walk(Math.min(sizeOf(a), sizeOf(b)));
    },
};

function forOverloads(pattern: RegExp, cost: CallCost): CallCost {
  return {
    estimate: (call) => (pattern.test(call.overload) ? cost.estimate(call) : undefined),
    bill: (overload) => (pattern.test(overload) ? cost.bill(overload) : 1),
  };
}

export const comparison: CallCost = forOverloads(/^[a-z_]+_(?:string|bytes)$/, smallerText);

/** Lists are joined at once, texts are copied. */
export const addition: CallCost = {
  estimate: ({ overload, args, sizeOf: size }) => {
    if (!/^add_(?:string|bytes|list)$/.test(overload)) return undefined;
    const resultSize = args.map(size).reduce(add, exactly(0));
    const cost = overload === "add_list" ? exactly(1) : scale(resultSize, traversalFactor);
    return { cost, resultSize };
  },
  bill: (overload) =>
    overload === "add_string" || overload === "add_bytes"
      ? ([a = null, b = null]) => walk(sizeOf(a) + sizeOf(b))
      : 1,
};

export const membership: CallCost = forOverloads(/^in_list$/, {
  estimate: ({ args, sizeOf: size }) => sizeOfArgument(args[1], size, 1),
  bill:
    () =>
    ([, container = null]) =>
      sizeOf(container),
});

function sizeOfArgument(
  node: CostNode | undefined,
  size: EstimatedCall["sizeOf"],
  factor: number,
): CallEstimate | undefined {
  return node === undefined ? undefined : { cost: scale(size(node), factor) };
}

export const prefix: CallCost = {
  estimate: ({ args, sizeOf: size }) => sizeOfArgument(args[0], size, traversalFactor),
  bill:
    () =>
    ([text = null]) =>
      walk(sizeOf(text)),
};

export const containment: CallCost = {
  estimate: ({ target, args, sizeOf: size }) => {
    const [part] = args;
    if (target === undefined || part === undefined) return undefined;
    const walks = [target, part].map((node) => scale(size(node), traversalFactor));
    return { cost: walks.reduce(multiply) };
  },
  bill:
    () =>
    ([text = null, part = null]) =>
      walk(sizeOf(text)) * walk(sizeOf(part)),
};

/** An empty text still costs the pattern. */
function regex({ target, args, sizeOf: size }: EstimatedCall): Range | undefined {
  const [pattern] = args;
  if (target === undefined || pattern === undefined) return undefined;
  const text = scale(add(size(target), exactly(1)), traversalFactor);
  return multiply(text, scale(size(pattern), regexFactor));
}

const regexBill: CallCost["bill"] =
  () =>
  ([text = null, pattern = null]) =>
    walk(1 + sizeOf(text)) * Math.ceil(sizeOf(pattern) * regexFactor);

export const regexMatch: CallCost = forOverloads(/^matches_string$/, {
  estimate: (call) => {
    const cost = regex(call);
    return cost === undefined ? undefined : { cost };
  },
  bill: regexBill,
});

/** In the worst case each character is a find of its own. */
export const regexFind: CallCost = {
  estimate: (call) => {
    const cost = regex(call);
    if (cost === undefined || call.target === undefined) return undefined;
    return { cost, resultSize: { min: 0, max: call.sizeOf(call.target).max } };
  },
  bill: regexBill,
};

/** Walks over the receiver, or over the first argument of a function that has none. */
export function traversal(walks = 1, resultSize?: (size: Range) => Range): CallCost {
  return {
    estimate: ({ target, args, sizeOf: size }) => {
      const node = target ?? args[0];
      if (node === undefined) return undefined;
      const found = size(node);
      const cost = scale(found, walks * traversalFactor);
      return resultSize === undefined ? { cost } : { cost, resultSize: resultSize(found) };
    },
    bill:
      () =>
      ([text = null]) =>
        Math.ceil(sizeOf(text) * walks * traversalFactor),
  };
}

export const sameSize = (size: Range): Range => size;

/** format(): the text is walked, but what comes out has no bound. */
export const unboundedTraversal: CallCost = traversal();

/** Goes by overload, as functions that convert from text walk and others do not. */
export const textConversion: CallCost = {
  estimate: (call) => {
    if (call.overload === "string_to_bytes") {
      return traversal(1, ({ min, max }) => ({ min, max: Math.min(noBound, max * 4) })).estimate(
        call,
      );
    }
    if (call.overload === "bytes_to_string") {
      return traversal(1, ({ min, max }) => ({ min: Math.floor(min / 4), max })).estimate(call);
    }
    return undefined;
  },
  bill: (overload) =>
    overload === "string_to_bytes" || overload === "bytes_to_string"
      ? ([text = null]) => walk(sizeOf(text))
      : 1,
};

/** indexOf() and others that look at each item of a list, or at each character of a text. */
export const listScan: CallCost = {
  estimate: ({ target, sizeOf: size }) => {
    if (target === undefined) return undefined;
    const item = itemNode(target);
    if (item === undefined) return { cost: scale(size(target), traversalFactor) };
    const isText = item.type.kind === "string" || item.type.kind === "bytes";
    const perItem = isText ? add(exactly(1), scale(size(item), traversalFactor)) : exactly(1);
    return { cost: multiply(size(target), perItem) };
  },
  bill:
    () =>
    ([target = null]) =>
      treeTraversal(target),
};

/** The items of a list, as far as the schema or the type tell of them. */
export function itemNode({ path, type }: CostNode): CostNode | undefined {
  const [item] = type.params;
  if (item === undefined) return undefined;
  const itemPath = path === undefined ? undefined : [...path, "@items"];
  return { path: itemPath, type: item, expression: undefined, size: undefined };
}

function treeTraversal(value: CelValue): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * traversalFactor);
  if (typeof value !== "object" || value === null) return 1;
  if (value.kind === "bytes") return Math.floor(value.bytes.length * traversalFactor);
  let cost = 0;
  if (value.kind === "list") {
    for (let i = 0; i < value.size; i++) cost += treeTraversal(value.at(i));
    return cost;
  }
  if (value.kind !== "map") return 1;
  for (const key of value.keys()) {
    cost += treeTraversal(key) + treeTraversal(value.get(key) ?? null);
  }
  return cost;
}

export function walk(size: number): number {
  return Math.ceil(size * traversalFactor);
}

export function unionOf(ranges: readonly Range[]): Range | undefined {
  return ranges.length === 0 ? undefined : ranges.reduce(union);
}
