// Which Operation is next for an Environment that is to be deployed. Pure.

import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt } from "../../../kernel/json-read.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { hasEnded } from "./operation.ts";
import type { OperationRecord } from "./records.ts";

export type Choice =
  /** An Operation of this deployment is to be created. */
  | { readonly kind: "deploy"; readonly superseded: readonly OperationRecord[] }
  /** The newest deployment has not begun. */
  | { readonly kind: "pending"; readonly operation: OperationRecord }
  | { readonly kind: "start"; readonly operation: OperationRecord }
  | { readonly kind: "nothing" };

/** No Operation runs. `deployment` is what the spec of the Environment states. */
export function chooseOperation(
  operations: readonly OperationRecord[],
  deployment: JsonObject,
): Choice {
  const newest = newestChange(operations);
  const isDeployed =
    newest !== undefined &&
    newest.type !== "Destroy" &&
    equalJson(deploymentIn(newest), deployment);
  const waiting = operations.filter(({ phase }) => !hasEnded(phase));
  if (!isDeployed) {
    const superseded = waiting.filter(({ type }) => type === "Deploy");
    return { kind: "deploy", superseded };
  }
  if (!hasEnded(newest.phase)) return { kind: "pending", operation: newest };
  const [next] = waiting;
  return next === undefined ? { kind: "nothing" } : { kind: "start", operation: next };
}

export function isChange({ type }: OperationRecord): boolean {
  return type === "Deploy" || type === "Destroy";
}

/** The last Operation that changed what is deployed. */
export function newestChange(operations: readonly OperationRecord[]): OperationRecord | undefined {
  let newest: OperationRecord | undefined;
  for (const operation of operations) {
    if (isChange(operation) && generationOf(operation) >= generationOf(newest)) newest = operation;
  }
  return newest;
}

export function generationOf(operation: OperationRecord | undefined): number {
  return numberAt(operation?.spec, "deployment", "generation") ?? 0;
}

/** The deployment of an Operation, without what the Operation adds. */
export function deploymentIn({ spec }: OperationRecord): JsonObject {
  const whole = objectAt(spec, "deployment");
  const plain = withoutKey(withoutKey(whole, "generation"), "digest");
  return {
    ...plain,
    parameters: objectAt(plain, "parameters"),
    secretParameters: objectAt(plain, "secretParameters"),
    tags: objectAt(plain, "tags"),
  };
}
