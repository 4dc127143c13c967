// When an instance was used: from the first time that it was ready until its deletion was
// requested. Read from the instance, or from its record after the deletion, so that neither a
// restart nor the compaction of the log changes it. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { organisationOf } from "../names.ts";

export interface InstanceUse {
  readonly id: string;
  readonly name: string;
  readonly organisation: string;
  readonly owner: string;
  readonly type: string;
  readonly provider: string;
  readonly region: string;
  readonly createdAt: string;
  /** An instance that was restored has several. */
  readonly spans: readonly UseSpan[];
}

export interface UseSpan {
  readonly fromMs: number;
  /** Infinity: it is still in use. */
  readonly toMs: number;
}

/** Undefined for an instance of a Probe. */
export function instanceUse({ metadata, spec, status }: Resource): InstanceUse | undefined {
  if (isTrueAt(spec, "isInternal")) return undefined;
  return {
    ...partsOf(objectAt(spec)),
    name: metadata.name,
    organisation: organisationOf(metadata.namespace ?? "") ?? "",
    createdAt: metadata.creationTimestamp,
    spans: [
      ...earlierSpans(objectAt(spec)),
      ...spanOf(textAt(status, "readyAt"), metadata.deletionTimestamp),
    ],
  };
}

/** Of a DeletedInstance. */
export function deletedUse({ metadata, spec }: Resource): InstanceUse {
  const instance = objectAt(spec, "instance");
  const endedAt = textAt(spec, "endedAt") || textAt(spec, "deletedAt");
  return {
    ...partsOf(instance),
    id: textAt(spec, "id"),
    name: textAt(spec, "name"),
    organisation: organisationOf(metadata.namespace ?? "") ?? "",
    createdAt: textAt(spec, "createdAt"),
    spans: [...earlierSpans(instance), ...spanOf(textAt(spec, "readyAt"), endedAt)],
  };
}

type Parts = Pick<InstanceUse, "id" | "owner" | "type" | "provider" | "region">;

function partsOf(spec: JsonObject): Parts {
  return {
    id: textAt(spec, "id"),
    owner: textAt(spec, "owner"),
    type: textAt(spec, "type"),
    provider: textAt(spec, "cloudProvider"),
    region: textAt(spec, "region"),
  };
}

/** Before the instance was deleted and restored. */
function earlierSpans(spec: JsonObject): readonly UseSpan[] {
  return objectsAt(spec, "earlierUse").flatMap((span) =>
    spanOf(textAt(span, "from"), textAt(span, "to")),
  );
}

function spanOf(from: string, to: string | undefined): readonly UseSpan[] {
  const fromMs = Date.parse(from);
  const toMs = to === undefined || to === "" ? Infinity : Date.parse(to);
  return Number.isNaN(fromMs) || Number.isNaN(toMs) ? [] : [{ fromMs, toMs }];
}

/** The milliseconds of the use that are in the period. */
export function usedMs({ spans }: Pick<InstanceUse, "spans">, period: UseSpan): number {
  return spans.reduce((sum, { fromMs, toMs }) => {
    const ms = Math.min(toMs, period.toMs) - Math.max(fromMs, period.fromMs);
    return sum + Math.max(0, ms);
  }, 0);
}
