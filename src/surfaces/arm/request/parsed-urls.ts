// The URLs of recent requests, parsed once: a client polls an operation under one URL, and reads a
// resource under one URL. URLs of writes are not kept. Bounded in number and length.

import { armQuery, parseArmPath } from "../protocol/arm-path.ts";
import type { ArmPath } from "../protocol/arm-path.ts";
import { namesOf } from "../../../modules/resource-provider/arm-names.ts";
import type { PlaceNames } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { AcceptedDocument } from "../../../modules/resource-provider/operations/followed.ts";
import type { OperationRecord } from "../../../modules/resource-provider/operations/record.ts";
import { RecentMap } from "../../../modules/resource-provider/recent-map.ts";

/** A URL, with the resource that it names. */
export interface ParsedUrl {
  readonly url: string;
  readonly path: ArmPath | undefined;
  readonly query: ReadonlyMap<string, string>;
  /** Of the resource that the path names. */
  readonly names: PlaceNames | undefined;
  readonly memory: UrlMemory;
}

/** What is known since the URL was asked for the last time. */
export interface UrlMemory {
  told?: ToldStatus | undefined;
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

export class ParsedUrls {
  readonly #known = new RecentMap<ParsedUrl>(maxKept);

  of(method: string, url: string): ParsedUrl {
    if (method !== "GET" || url.length > maxChars) return read(url);
    const known = this.#known.get(url);
    if (known !== undefined) return known;
    const parsed = read(url);
    this.#known.set(url, parsed);
    return parsed;
  }

  /** What nobody needs to ask for again. */
  forget({ url }: ParsedUrl): void {
    this.#known.delete(url);
  }
}

function read(url: string): ParsedUrl {
  const path = parseArmPath(url);
  const names = path?.kind === "resource" ? namesOf(path) : undefined;
  return { url, path, query: armQuery(url), names, memory: {} };
}
