// A key of a Secret that a run sends to an external system. A run without it waits until the Secret
// has the key, and every change of the Secret wakes the resource.

import { secretData } from "../../kernel/secret-data.ts";
import { ReconcileFailure, failed, waiting } from "../outcome.ts";
import type { Context } from "../reconciler.ts";
import { RunEnded } from "../run/run-ended.ts";

export interface SecretKeyReference {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** The value without white space at its ends. It can be sent in a header. */
export async function secretKey(
  { references }: Pick<Context, "references">,
  { namespace, name, key }: SecretKeyReference,
): Promise<string> {
  const blocker = { kind: "secrets", namespace, name };
  const data = secretData(await references.get(blocker));
  const value = data !== undefined && Object.hasOwn(data, key) ? data[key]?.trim() : undefined;
  const which = `the Secret ${namespace}/${name}`;
  if (value === undefined || value === "") {
    const isThere = data !== undefined;
    const message = isThere ? `${which} has no key ${key}` : `${which} does not exist`;
    throw new RunEnded(waiting({ ...blocker, isThere }, { message }));
  }
  if (/^[\u0020-\u007e]+$/.test(value)) return value;
  const message = `the key ${key} of ${which} contains characters other than printable ASCII`;
  throw new ReconcileFailure(failed("SecretInvalid", message, { retry: "never" }));
}
