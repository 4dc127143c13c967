// Keeps the faces of ArmFace resources in the registry of this process, and writes into the status
// of each whether it is served, or why not. When one changes, all are registered again: types
// before nested types, and older before newer, so that every process gets the same result.

import { keyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import { writeCondition } from "../../../intents/housekeeping/write-condition.ts";
import { definitionsKind } from "../../../intents/kinds/definition-kinds.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import type { LiveRecord } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import type { ConditionInput } from "../../../kernel/conditions.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { faceKind } from "../face.ts";
import { faceOfResource } from "./face-of-resource.ts";
import type { MadeFace } from "./face-of-resource.ts";
import type { ArmFaces } from "./faces.ts";

export interface FollowFacesInput {
  readonly intents: Intents;
  /** Holds the faces of modules already, which resources cannot displace. */
  readonly faces: ArmFaces;
  readonly timers: Timers;
  readonly onError: (error: unknown, face: string) => void;
}

interface Kept {
  readonly resource: Resource;
  readonly served: ServedKind | undefined;
  readonly made: MadeFace;
}

const place = { group: "arm.setpoint.dev", plural: "armfaces" };

export function followFaces(input: FollowFacesInput): AsyncDisposable {
  const { intents, faces, timers, onError } = input;
  const { live, kinds } = intents;
  const kept = new Map<string, Kept>();
  const verdicts = new Map<string, ConditionInput>();
  let put: readonly { readonly provider: string; readonly type: string }[] = [];
  const worker = keyedWorker({
    timers,
    onError,
    work: async (name) => {
      const verdict = verdicts.get(name);
      if (verdict !== undefined) await writeCondition(intents, { ...place, name }, verdict);
      return undefined;
    },
  });

  const madeFrom = ({ key, resource }: LiveRecord): MadeFace => {
    const served = kinds.byId(textAt(objectAt(resource, "spec"), "kind"));
    const known = kept.get(key.name);
    const isSame = known?.served === served && equalJson(known?.resource["spec"], resource["spec"]);
    // The same object as before, so that what was compiled for it stays in use.
    if (known !== undefined && isSame) return known.made;
    const made = faceOfResource(resource, kinds);
    kept.set(key.name, { resource, served, made });
    return made;
  };

  const putAll = (): void => {
    for (const { provider, type } of put) faces.remove(provider, type);
    const records = [...live.all(faceKind)].sort(byRank);
    put = records.flatMap((record) => {
      const { face, problems: own } = madeFrom(record);
      const problems = [...own, ...faces.problemsOf(face)];
      if (problems.length === 0) faces.put(face);
      verdicts.set(record.key.name, verdictOf(record.resource, problems));
      worker.add(record.key.name);
      return problems.length === 0 ? [face] : [];
    });
  };

  let isFollowing = false;
  live.follow(faceKind, (after, before) => {
    if (after === undefined && before !== undefined) {
      kept.delete(before.key.name);
      verdicts.delete(before.key.name);
    }
    const isSame = equalJson(after?.resource["spec"], before?.resource["spec"]);
    if (isFollowing && !isSame) putAll();
  });
  live.follow(definitionsKind, (after, before) => {
    const name = (after ?? before)?.key.name;
    const isNamed = [...kept.values()].some(
      ({ resource }) => textAt(objectAt(resource, "spec"), "kind") === name,
    );
    if (isFollowing && isNamed) putAll();
  });
  isFollowing = true;
  putAll();
  return worker;
}

function byRank(a: LiveRecord, b: LiveRecord): number {
  const [one, other] = [a, b].map(({ key, resource }) => {
    const depth = textAt(objectAt(resource, "spec"), "type").split("/").length;
    return `${depth} ${resource.metadata.creationTimestamp} ${key.name}`;
  });
  return (one ?? "") < (other ?? "") ? -1 : 1;
}

function verdictOf({ metadata }: Resource, problems: readonly string[]): ConditionInput {
  const [first] = problems;
  return {
    type: "Accepted",
    status: first === undefined ? "True" : "False",
    reason: first === undefined ? "Served" : reasonOf(problems),
    message: first === undefined ? "The face is served." : problems.join("; "),
    observedGeneration: metadata.generation,
  };
}

/** The first reason that is more specific than Invalid. */
function reasonOf(problems: readonly string[]): string {
  return problems.map(reasonFor).find((reason) => reason !== "Invalid") ?? "Invalid";
}

function reasonFor(problem: string): string {
  if (/^kind: the kind .* does not exist/.test(problem)) return "KindNotFound";
  if (/^type: the parent type .* does not exist/.test(problem)) return "ParentNotFound";
  if (/^versions\[\d+\]\.version: \S+ has the versions /.test(problem)) return "VersionNotFound";
  return /^(?:type|kind): .* already /.test(problem) ? "Conflict" : "Invalid";
}
