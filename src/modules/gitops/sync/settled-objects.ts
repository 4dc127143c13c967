/**
 * Objects that this process has seen equal to what is wanted. While neither the wanted object nor
 * the live one changes, no dry run is needed. Lost with the process, which costs one dry run.
 */
import type { JsonObject } from "../../../kernel/json.ts";
import { digestOf } from "../digest.ts";
import { gitopsLimits } from "../limits.ts";
import { comparable } from "./differences.ts";

export class SettledObjects {
  readonly #known = new Map<string, ReadonlyMap<string, string>>();

  /** Of one deployment, by `referenceKey`. */
  of(deploymentUid: string): ReadonlyMap<string, string> {
    return this.#known.get(deploymentUid) ?? new Map();
  }

  /** Objects that were just applied. */
  add(deploymentUid: string, settled: ReadonlyMap<string, string>): void {
    this.set(deploymentUid, new Map([...this.of(deploymentUid), ...settled]));
  }

  /** Replaces what is known of the deployment. The one that was used last is kept longest. */
  set(deploymentUid: string, settled: ReadonlyMap<string, string>): void {
    this.#known.delete(deploymentUid);
    this.#known.set(deploymentUid, settled);
    let objects = 0;
    for (const { size } of this.#known.values()) objects += size;
    for (const [uid, { size }] of this.#known) {
      if (objects <= mostObjects || uid === deploymentUid) break;
      this.#known.delete(uid);
      objects -= size;
    }
  }
}

const mostObjects = gitopsLimits.maxObjects * 10;

export function settledMark(wanted: JsonObject, live: JsonObject): string {
  return `${digestOf(wanted)} ${digestOf(comparable(live))}`;
}
