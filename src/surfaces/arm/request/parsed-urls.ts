// What a URL asks for, read once: who waits for an operation asks for the same URL again and again,
// and what is read much is read under the same one. What is written is written once, and not kept.
// Bounded in their number and length.

import type { ArmFacts } from "./request-facts.ts";
import { armQuery, parseArmPath } from "../protocol/arm-path.ts";
import type { ArmPath } from "../protocol/arm-path.ts";
import { namesOf } from "../../../modules/resource-provider/arm-names.ts";
import type { PlaceNames } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmAnswer } from "./arm-request.ts";
import type { AcceptedDocument } from "../../../modules/resource-provider/operations/followed.ts";
import type { OperationRecord } from "../../../modules/resource-provider/operations/operations.ts";
import { RecentMap } from "../../../modules/resource-provider/recent-map.ts";

/** A request as its URL says. */
export interface Asked {
  readonly url: string;
  readonly path: ArmPath | undefined;
  readonly query: ReadonlyMap<string, string>;
  /** Of the resource that the path names. */
  readonly names: PlaceNames | undefined;
  readonly memory: AskedMemory;
}

/** What is known since the URL was asked for the last time. */
export interface AskedMemory {
  told?: ToldStatus | undefined;
  facts?: ArmFacts;
  /** The end of an operation was told: who waited for it is done. */
  isOver?: boolean;
}

/** What pollers were told of an operation a moment ago. */
export interface ToldStatus {
  /** The revisions of the operation and of its resource. */
  readonly record: number;
  readonly resource: number;
  readonly untilMs: number;
  /** Without the bytes of what is stored, which may be many. */
  readonly operation: Pick<OperationRecord, "id" | "spec" | "end">;
  readonly isUnderWay: boolean;
  /** The resource as it was then, of one that was accepted a moment ago. */
  readonly document?: AcceptedDocument | undefined;
  readonly answer: () => ArmAnswer;
}

const maxKept = 1_000;
const maxChars = 1_000;

export class AskedUrls {
  readonly #known = new RecentMap<Asked>(maxKept);

  of(method: string, url: string): Asked {
    if (method !== "GET" || url.length > maxChars) return read(url);
    const known = this.#known.get(url);
    if (known !== undefined) return known;
    const asked = read(url);
    this.#known.set(url, asked);
    return asked;
  }

  /** What nobody needs to ask for again. */
  forget({ url }: Asked): void {
    this.#known.delete(url);
  }
}

function read(url: string): Asked {
  const path = parseArmPath(url);
  const names = path?.kind === "resource" ? namesOf(path) : undefined;
  return { url, path, query: armQuery(url), names, memory: {} };
}
