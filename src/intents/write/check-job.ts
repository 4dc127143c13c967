// The check of one document in a thread: see ADR 19. The thread gets the schema of the kind with
// each job, and remembers what it has compiled from it.

import type { FieldError } from "../../kernel/field-error.ts";
import type { HeavyFunctions, HeavyWork } from "../../kernel/heavy-work.ts";
import { parseExact } from "../../kernel/int64.ts";
import { kindId } from "../../kernel/kind.ts";
import type { Kind, KindVersion } from "../../kernel/kind.ts";
import { limits } from "../../kernel/limits.ts";
import { builtinRules } from "../builtin/rules.ts";
import type { KindRules } from "../builtin/rules.ts";
import { compileType } from "../kinds/compiled-type.ts";
import type { CompiledType } from "../kinds/compiled-type.ts";
import { definitionChecks } from "../kinds/definition-rules.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import type { Target } from "../request.ts";
import { documentErrors } from "./document-errors.ts";
import type { CheckedDocument, CheckedKind } from "./document-errors.ts";

interface Job extends CheckedDocument {
  readonly id: string;
  readonly kind: CheckedKind["kind"];
  /** Of a kind that is not built-in. */
  readonly version: (KindVersion & { readonly number: number }) | null;
}

/** Rejects as heavy work does. */
export async function errorsByThread(
  heavy: HeavyWork,
  { served, version }: Pick<Target, "served" | "version">,
  document: CheckedDocument,
  tenant: string,
): Promise<FieldError[]> {
  const { group, origin, scope } = served.kind;
  const job: Job = {
    ...document,
    id: kindId(served.kind),
    kind: { group, origin, scope },
    version:
      origin === "built-in"
        ? null
        : { ...version.definition, number: numberOf(version.definition) },
  };
  const bytes = Buffer.from(JSON.stringify(job));
  const { bytes: found } = await heavy.run({ name: "check-document", tenant, bytes });
  return parseExact(found.toString("utf8")) as FieldError[];
}

const numbers = new WeakMap<KindVersion, number>();
let lastNumber = 0;

/** A number that no other version of a kind has had in this process. */
function numberOf(version: KindVersion): number {
  const known = numbers.get(version);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(version, lastNumber);
  return lastNumber;
}

const compiled = new Map<number, CompiledType>();

function typeOf(version: Job["version"]): CheckedKind["type"] {
  if (version === null) return { validate: () => [] };
  const known = compiled.get(version.number) ?? compileType(version);
  // The newest last.
  compiled.delete(version.number);
  compiled.set(version.number, known);
  const [oldest] = compiled.keys();
  if (compiled.size > limits.maxThreadTypes && oldest !== undefined) compiled.delete(oldest);
  return known;
}

function rulesOf(id: string, { origin }: Pick<Kind, "origin">): KindRules | undefined {
  if (origin !== "built-in") return undefined;
  return id === definitionsKind ? definitionChecks : builtinRules.get(id);
}

export const checkFunctions: HeavyFunctions = {
  "check-document": (bytes) => {
    const job = parseExact(bytes.toString("utf8")) as Job;
    const { kind, id, version, old } = job;
    const checked = { kind, type: typeOf(version), rules: rulesOf(id, kind) };
    const errors = documentErrors(checked, { ...job, old: old ?? undefined });
    return { bytes: Buffer.from(JSON.stringify(errors)) };
  },
};
