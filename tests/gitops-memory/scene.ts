// What tests of syncs with a repository and a target in memory have in common.

import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import type { Fakes } from "./fakes.ts";
import type { Rig } from "./rig.ts";

export const source = { repoURL: "https://git.example/jane/shop.git", path: "deploy" };
export const automated: JsonObject = { source, type: "automated" };
export const manual: JsonObject = { source, type: "manual" };

export const inventories = "inventories.gitops.setpoint.dev";
export const operations = "operations.gitops.setpoint.dev";

export function configMap(
  name: string,
  data: JsonObject = {},
  annotations: JsonObject = {},
): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, annotations }, data };
}

/** Of a ConfigMap, in `FakeTarget.objects`. */
export const key = (name: string): string => `/ConfigMap:jane/${name}`;

/** Makes the objects those of the branch. */
export function commit(fakes: Fakes, id: string, objects: readonly JsonObject[]): string {
  const name = id.repeat(40).slice(0, 40);
  fakes.repository.commits.set(name, objects);
  fakes.repository.head = name;
  return name;
}

export async function statusOf(rig: Rig, name = "shop"): Promise<JsonObject> {
  return ((await rig.read("GitOpsDeployment", name))?.status ?? {}) as JsonObject;
}

/** Status, reason and message of ErrorOccurred. */
export async function condition(
  rig: Rig,
  name = "shop",
  kind = "GitOpsDeployment",
): Promise<string> {
  const status = (await rig.read(kind, name))?.status as JsonObject | undefined;
  const all = (status?.["conditions"] ?? []) as readonly JsonObject[];
  const found = all.find((each) => each["type"] === "ErrorOccurred");
  return `${textAt(found, "status")} ${textAt(found, "reason")} ${textAt(found, "message")}`;
}

let edits = 0;

/** Wakes the deployment by an edit without effect: the repository of the test wakes nothing. */
export async function wake(rig: Rig, name = "shop"): Promise<void> {
  edits += 1;
  const ignoreDifferences = [{ kind: "None", name: `edit-${edits}` }];
  await rig.patch("GitOpsDeployment", name, { spec: { ignoreDifferences } });
  await rig.pass(5_000);
}
