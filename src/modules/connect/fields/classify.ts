// What may be done with each field of a resource: by what a person said, by what the document says,
// by the differences of its schemas, and by examples and names last. The first that speaks decides,
// and each decision keeps where it came from, so that a person can see what was known and what was
// guessed.

import type { FieldEntry } from "../binding.ts";
import type { SchemaNode } from "../document/tree.ts";
import { verdictByAnnotation } from "./by-annotation.ts";
import { verdictByDifference } from "./by-difference.ts";
import type { Comparable } from "./by-difference.ts";
import { fieldTable, nodeOf, sides } from "./field-table.ts";
import type { Field, ResourceTrees } from "./field-table.ts";
import { verdictByGuess } from "./guess.ts";
import type { Judgement, Verdict } from "./judgement.ts";
import { isSecretField } from "./secret-name.ts";
import type { GuessContext } from "./signs.ts";

export interface ClassifyInput extends Pick<GuessContext, "examples"> {
  readonly trees: ResourceTrees;
  /** What is read and what is written have enough in common to be compared. */
  readonly isComparable: boolean;
  /** By path: what persons said. */
  readonly overrides?: readonly FieldEntry[];
  /** False to see how well one does without them. */
  readonly useMarks?: boolean;
  /** Fields that changes take, by the words of the document; undefined when it does not say. */
  readonly listed?: ReadonlySet<string>;
  /** Objects can be created and not changed. */
  readonly isFixed?: boolean;
  /** Path of a list whose elements are resources of their own. */
  readonly elements?: string;
  /** Paths of the fields that name the object, where we name it. */
  readonly names?: readonly string[];
  /** Path of the id, where the service names the object. */
  readonly assigned?: string;
  /** Paths of the fields that are in its URL, so they are readable whatever they are called. */
  readonly shown?: readonly string[];
}

export interface Classified {
  readonly table: ReadonlyMap<string, Field>;
  readonly judgements: ReadonlyMap<string, Judgement>;
  /** What guesses were made by. */
  readonly context: GuessContext;
}

export function classify(input: ClassifyInput): Classified {
  const table = fieldTable(input.trees, input.useMarks ?? true);
  const known = comparableOf(input);
  const overrides = new Map((input.overrides ?? []).map((entry) => [entry.path, entry]));
  const isMarked = [...table.values()].some(({ isMarkedHere }) => isMarkedHere);
  const { trees, examples } = input;
  const framed = (trees.create ?? trees.replace ?? trees.read)?.properties.get("properties");
  const isFramed = framed !== undefined && framed.properties.size > 0;
  const context: GuessContext = {
    isFramed,
    examples,
    patchTells: known.patchTells,
    isNeeded: (field) => isNeeded(field, trees),
  };
  const judgements = new Map<string, Judgement>();
  for (const field of table.values()) {
    const above = field.parent === undefined ? undefined : judgements.get(field.parent.path);
    const override = overrides.get(field.path);
    const verdict =
      override === undefined
        ? decide(field, above, { input, known, isMarked, context })
        : {
            class: override.class,
            from: "override" as const,
            why: override.why ?? "",
            confidence: 1,
          };
    const secrecy = secrecyOf(field, above, { override, shown: input.shown ?? [] });
    judgements.set(field.path, { ...judged(field, verdict, override), ...secrecy });
  }
  return { table, judgements, context };
}

/** Where one schema is for everything, what it requires is required of who makes an object. */
function isNeeded({ parent, at }: Field, { create, replace }: ResourceTrees): boolean {
  const [node, above] =
    create === undefined
      ? [at.replace, parent === undefined ? replace : parent.at.replace]
      : [at.create, parent === undefined ? create : parent.at.create];
  return node !== undefined && above?.required.has(node.name) === true;
}

interface Deciding {
  readonly input: ClassifyInput;
  readonly known: Comparable;
  readonly isMarked: boolean;
  readonly context: GuessContext;
}

function decide(
  field: Field,
  above: Judgement | undefined,
  { input, known, isMarked, context }: Deciding,
): Verdict | undefined {
  if (field.path === input.elements) {
    const why = "its elements are separate resources";
    return { class: "read-only", from: "difference", why, confidence: 0.9 };
  }
  const said = verdictByAnnotation(field, known.createDiffers);
  if (said !== undefined) return said;
  // Only a word of the document makes a part of what cannot be written writable.
  if (above !== undefined && above.class !== "writable" && above.from !== undefined) {
    const { class: same, from, why, confidence } = above;
    return { class: same, from, why: why.endsWith("(above)") ? why : `${why} (above)`, confidence };
  }
  if (isFree(field)) return undefined;
  const different = verdictByDifference(field, known);
  if (different !== undefined) return different;
  if (input.isFixed === true && isTakenAtCreation(field)) {
    const why = "the service has no operation that changes the object";
    return { class: "create-only", from: "difference", why, confidence: 0.85 };
  }
  if (input.names?.includes(field.path) === true) {
    return {
      class: "create-only",
      from: "difference",
      why: "identifies the object",
      confidence: 0.9,
    };
  }
  // Who wrote a schema for what is taken has left out what is not.
  const isTold = isMarked || known.readDiffers;
  const guessed = isTold ? undefined : verdictByGuess(field, context);
  if (guessed !== undefined) return guessed;
  if (input.assigned === field.path && isShared(input.trees) && !context.isNeeded(field)) {
    const why = "the id that the service assigns";
    return { class: "read-only", from: "difference", why, confidence: 0.8 };
  }
  return byList(field, input.listed);
}

/** Below an object that requests take whole: what a response shows in it says nothing about it. */
function isFree({ parent, at }: Field): boolean {
  if (parent === undefined) return false;
  const writes = sides.filter((side) => side !== "read");
  if (writes.some((side) => at[side] !== undefined)) return false;
  return writes.some((side) => {
    const node = parent.at[side];
    return node !== undefined && (node.additional === true || isAnyObject(node));
  });
}

function isAnyObject({ types, properties, items, additional }: SchemaNode): boolean {
  const isOpen = properties.size === 0 && items === undefined && additional === undefined;
  return isOpen && (types.length === 0 || types.includes("object"));
}

/** What only exists after the creation cannot be given to it. */
function isTakenAtCreation({ level, at }: Field): boolean {
  return level === 0 && at.create !== undefined;
}

/** One schema for what is read and what creates: it says nothing about the id. */
function isShared({ read, create }: ResourceTrees): boolean {
  return read === create || (read?.ref !== undefined && read.ref === create?.ref);
}

/** "The only fields that can be modified are …": the others are taken at creation. */
function byList(field: Field, listed: ReadonlySet<string> | undefined): Verdict | undefined {
  if (listed === undefined || field.level > 0 || field.at.create === undefined) return undefined;
  if (listed.has(field.path.slice(1))) return undefined;
  const why = "not in the list of changeable fields in the document";
  return { class: "create-only", from: "difference", why, confidence: 0.75 };
}

type Secrecy = Pick<Judgement, "isSecret" | "secretFrom">;

/** By a person, by the document, by what is above it, or by its name. */
function secrecyOf(
  field: Field,
  above: Judgement | undefined,
  {
    override,
    shown,
  }: { readonly override: FieldEntry | undefined; readonly shown: readonly string[] },
): Secrecy {
  if (override?.isSecret !== undefined) {
    return { isSecret: override.isSecret, secretFrom: "override" };
  }
  if (field.marks.isSecret) return { isSecret: true, secretFrom: "annotation" };
  if (above?.isSecret === true) return { isSecret: true, secretFrom: above.secretFrom };
  const node = nodeOf(field);
  const isNamed = node !== undefined && isSecretField(node) && !shown.includes(field.path);
  return isNamed
    ? { isSecret: true, secretFrom: "name" }
    : { isSecret: false, secretFrom: undefined };
}

function judged(
  field: Field,
  verdict: Verdict | undefined,
  override: FieldEntry | undefined,
): Omit<Judgement, keyof Secrecy> {
  const node = nodeOf(field);
  const isWritable = verdict === undefined || verdict.class === "writable";
  return {
    path: field.path,
    class: verdict?.class ?? "writable",
    isDefaulted:
      override?.isDefaulted ??
      (isWritable && node !== undefined && Object.hasOwn(node.keywords, "default")),
    from: verdict?.from,
    why: verdict?.why ?? "",
    confidence: verdict?.confidence ?? 0.5,
  };
}

function comparableOf({ trees, isComparable }: ClassifyInput): Comparable {
  const { read, create, replace, patch } = trees;
  const isSame = (a: ResourceTrees["read"], b: ResourceTrees["read"]): boolean =>
    a === b || (a?.ref !== undefined && a.ref === b?.ref);
  const writes = sides.filter((side) => side !== "read").flatMap((side) => trees[side] ?? []);
  const update = replace ?? patch;
  return {
    hasRead: read !== undefined,
    hasCreate: create !== undefined,
    hasReplace: replace !== undefined,
    hasPatch: patch !== undefined,
    readDiffers:
      isComparable &&
      read !== undefined &&
      writes.length > 0 &&
      !writes.some((one) => isSame(read, one)),
    createDiffers: create !== undefined && update !== undefined && !isSame(create, update),
    patchTells: patch !== undefined && patch.properties.size > 1 && !isSame(read, patch),
  };
}
