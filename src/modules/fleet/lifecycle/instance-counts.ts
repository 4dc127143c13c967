// The instances of an Offering by phase, and those that wait for a cluster. Every process that
// works on instances has this for each Offering.

import { isTrueAt, textAt } from "../../../kernel/json-read.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { isPhase } from "./phases.ts";
import type { Phase } from "./phases.ts";

/** What is kept of one instance. */
export interface CountedInstance {
  readonly phase: Phase;
  /** It needs a cluster and has none. */
  readonly isWaiting: boolean;
  /** Its owner was denied when it was last reconciled. */
  readonly isDenied: boolean;
  /** An instance of a probe, which no number contains. */
  readonly isInternal: boolean;
}

export interface InstanceCounts {
  byPhase(): Readonly<Partial<Record<Phase, number>>>;
  readonly total: number;
  /** Keys of the instances that wait for a cluster. */
  waiting(): readonly ResourceKey[];
  /** Keys of the instances whose owner was denied. */
  denied(): readonly ResourceKey[];
}

/** For `followKind`. */
export function countedInstance({ spec, status, metadata }: Resource): CountedInstance {
  const text = textAt(status, "phase");
  const phase = isPhase(text) ? text : "accepted";
  const isPlaced = textAt(status, "placement", "cluster") !== "";
  const isLeaving = metadata.deletionTimestamp !== undefined || phase === "failed";
  const isInternal = isTrueAt(spec, "isInternal");
  const isDenied = textAt(status, "deniedAt") !== "";
  return { phase, isWaiting: !isPlaced && !isLeaving, isDenied, isInternal };
}

export class CountedInstances implements InstanceCounts {
  readonly #phases = new Map<Phase, number>();
  readonly #waiting = new Map<string, ResourceKey>();
  readonly #denied = new Map<string, ResourceKey>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  byPhase(): Readonly<Partial<Record<Phase, number>>> {
    return Object.fromEntries([...this.#phases].filter(([, count]) => count > 0));
  }

  waiting(): readonly ResourceKey[] {
    return [...this.#waiting.values()];
  }

  denied(): readonly ResourceKey[] {
    return [...this.#denied.values()];
  }

  change(
    key: ResourceKey,
    after: CountedInstance | undefined,
    before: CountedInstance | undefined,
  ): void {
    if (before?.isInternal === false) this.#add(before.phase, -1);
    if (after?.isInternal === false) this.#add(after.phase, 1);
    if (after?.isWaiting === true) this.#waiting.set(keyText(key), key);
    else this.#waiting.delete(keyText(key));
    if (after?.isDenied === true) this.#denied.set(keyText(key), key);
    else this.#denied.delete(keyText(key));
  }

  #add(phase: Phase, by: 1 | -1): void {
    this.#total += by;
    this.#phases.set(phase, (this.#phases.get(phase) ?? 0) + by);
  }
}
