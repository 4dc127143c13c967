// When a ManagedInstance that is being deleted may be removed. Pure. A report says "deleted" only
// for the placement that it names: a report about an earlier placement proves nothing.

import type { Resource } from "../../../kernel/resource.ts";
import { agentFinalizer, forceDeleteAnnotation } from "../names.ts";
import { currentReport, readManagedInstance } from "./managed-instance.ts";
import { readReport } from "./report.ts";

export type Removal =
  | { readonly kind: "release"; readonly why: "deleted" | "no-cluster" | "forced" | "unseen" }
  /** The agent has not reported the placement as deleted. */
  | { readonly kind: "wait" }
  /** It is not being deleted, or this module does not hold it. */
  | { readonly kind: "none" };

export function removalOf(resource: Resource, hasCluster: boolean): Removal {
  const { deletionTimestamp, finalizers = [], annotations = {} } = resource.metadata;
  if (deletionTimestamp === undefined || !finalizers.includes(agentFinalizer)) {
    return { kind: "none" };
  }
  if ((annotations[forceDeleteAnnotation] ?? "") !== "") return { kind: "release", why: "forced" };
  if (!hasCluster) return { kind: "release", why: "no-cluster" };
  const managed = readManagedInstance(resource);
  // An agent receives an instance when it has a host: until then, it has nothing to delete.
  if (managed.host === "") return { kind: "release", why: "unseen" };
  const report = currentReport(managed);
  if (readReport(report).kind === "deleted") return { kind: "release", why: "deleted" };
  return { kind: "wait" };
}
