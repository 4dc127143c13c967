/** The SyncRuns of a deployment, as its run sees them. */
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { syncRunsKind } from "../names.ts";
import { compareTexts } from "./order.ts";
import { listByField } from "./records.ts";

export function hasSyncRunEnded({ status }: Resource): boolean {
  return ["Succeeded", "Failed", "Terminated"].includes(textAt(status, "phase"));
}

/** Accepted and not ended, from the oldest to the newest. */
export async function pendingSyncRuns(
  store: Pick<Store, "list">,
  { metadata: { uid, name, namespace = "" } }: Resource,
): Promise<readonly Resource[]> {
  const at = { kind: syncRunsKind, namespace };
  const found = await listByField(store, at, ".status.accepted.deploymentUID", uid);
  return found
    .filter(
      (run) =>
        run.metadata.deletionTimestamp === undefined &&
        !hasSyncRunEnded(run) &&
        textAt(run.status, "accepted", "gitopsDeploymentName") === name,
    )
    .toSorted(
      (a, b) =>
        compareTexts(createdAt(a), createdAt(b)) || compareTexts(a.metadata.name, b.metadata.name),
    );
}

function createdAt({ metadata }: Resource): string {
  return metadata.creationTimestamp ?? "";
}
