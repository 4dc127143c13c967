// What a run needs to call the cluster of a KubernetesTarget.

import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import { checkAllowed, sharedResource } from "../../../engine/external/shared-resource.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { readKubeconfig } from "../../../kernel/kubeconfig.ts";
import type { KubeAccess } from "../../../kernel/kubeconfig.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { parseYaml } from "../../../kernel/yaml.ts";
import { sharedTarget } from "./manifest-kinds.ts";

type ReferringContext = Pick<Context, "references">;

/** Undefined for this server. */
export async function targetOf(
  set: Resource,
  context: ReferringContext,
  hint = "",
): Promise<Resource | undefined> {
  const name = textAt(set, "spec", "target");
  if (name === "") return undefined;
  return await sharedResource(context, { ...sharedTarget, name }, hint);
}

export async function allowedTarget(
  set: Resource,
  context: ReferringContext,
): Promise<Resource | undefined> {
  const target = await targetOf(set, context);
  if (target !== undefined) await checkAllowed(context, set, target, sharedTarget);
  return target;
}

export async function targetAccess(
  target: Resource,
  { references }: ReferringContext,
): Promise<KubeAccess> {
  const secretRef = objectAt(target, "spec", "kubeconfig", "secretRef");
  const [namespace, name] = [textAt(secretRef, "namespace"), textAt(secretRef, "name")];
  const key = textAt(secretRef, "key");
  const where = `key ${key} of the Secret ${namespace}/${name}`;
  const secret = await references.get({ kind: "secrets", namespace, name });
  const encoded = textAt(secret, "data", key);
  if (encoded === "") throw unusable(`the ${where} does not exist`);
  const context = textAt(target, "spec", "context");
  try {
    const { value } = parseYaml(Buffer.from(encoded, "base64").toString("utf8"));
    if (!isJsonObject(value)) throw new Error("it is not an object");
    const options = context === "" ? {} : { context };
    return readKubeconfig([{ path: `in ${where}`, content: value }], options);
  } catch (error) {
    // A syntax error would quote the text of the Secret.
    const why = isSetpointError(error, "config.invalid") ? error.message : "it cannot be parsed";
    throw unusable(`the ${where} is not a usable kubeconfig: ${why}`);
  }
}

function unusable(message: string): ReconcileFailure {
  return new ReconcileFailure(failed("KubeconfigUnusable", message, { retry: "slow" }));
}
