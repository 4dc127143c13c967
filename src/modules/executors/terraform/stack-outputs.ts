// The outputs of a stack after an apply: plain ones in the status, sensitive ones in an owned
// Secret.

import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import { shortName } from "../runs/run-labels.ts";
import { textsWithin, withoutSecrets } from "../runs/run-secrets.ts";
import type { StackRunInput } from "./stack-run.ts";
import { stateFacts } from "./state-file.ts";

/** Fields of the status. */
export async function stackOutputs(input: StackRunInput): Promise<JsonObject> {
  const { context, owner, state, spec } = input;
  const text = await state?.text();
  const facts = text === undefined ? undefined : stateFacts(text);
  if (facts === undefined || state === undefined) return {};
  const { lineage, serial, resources, outputs, sensitiveOutputs } = facts;
  // A configuration need not mark what it takes from a secret variable.
  const secrets = textsWithin(objectAt(spec, "secretVariables"));
  const plain = withoutSecrets(withoutNulls(outputs), secrets);
  const { name, labels = {} } = owner.metadata;
  const secret = `${shortName(name)}-outputs`;
  const isSecret = Object.keys(sensitiveOutputs).length > 0;
  if (isSecret) {
    await context.children.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secret, labels },
      stringData: textsOf(sensitiveOutputs),
    });
  } else await context.children.delete({ kind: "secrets", name: secret }).catch(ignoreForeign);
  return {
    outputs: makeMergePatch(objectAt(owner, "status", "outputs"), plain),
    secretOutputs: isSecret ? { name: secret } : null,
    state: { lineage, serial, resources, version: state.head.version },
  };
}

/** A Secret of a Kubernetes API has texts; other values are JSON. */
function textsOf(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function withoutNulls(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** A Secret of the name that another owner has is left alone. */
function ignoreForeign(): boolean {
  return false;
}
