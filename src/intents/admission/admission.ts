// Where policies have their say: after a document was defaulted (mutate) and after it was found
// valid (validate), as in Kubernetes. A plugin sees the document in the version of the request. It
// refuses by throwing a SetpointError; most plugins have nothing to say about most requests and
// answer at once, so the chain only waits where a plugin returns a promise.

import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { CounterUse } from "../../store/port.ts";
import type { Caller, Target } from "../request.ts";

export interface AdmissionRequest {
  readonly caller: Caller;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly target: Target;
  /** Absent for a deletion. */
  readonly object: Resource | undefined;
  /** Absent for a creation. */
  readonly old: Resource | undefined;
  readonly isDryRun: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, as webhooks see them. */
  readonly options: Json;
}

export interface AdmissionPlugin {
  readonly name: string;
  /** Returns the document to go on with. */
  mutate?(request: AdmissionRequest): Resource | Promise<Resource>;
  validate?(request: AdmissionRequest): void | Promise<void>;
  /** What the resource counts against, decided inside the commit. */
  uses?(request: AdmissionRequest): readonly CounterUse[];
}

export interface Admission {
  mutate(request: AdmissionRequest): Resource | Promise<Resource>;
  validate(request: AdmissionRequest): void | Promise<void>;
  uses(request: AdmissionRequest): readonly CounterUse[] | undefined;
}

export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  const mutators = plugins.filter((plugin) => plugin.mutate !== undefined);
  const validators = plugins.filter((plugin) => plugin.validate !== undefined);
  const counters = plugins.filter((plugin) => plugin.uses !== undefined);
  return {
    mutate: (request) => mutateFrom(mutators, 0, request),
    validate: (request) => validateFrom(validators, 0, request),
    uses: (request) => {
      if (counters.length === 0) return undefined;
      return counters.flatMap((plugin) => plugin.uses?.(request) ?? []);
    },
  };
}

function mutateFrom(
  plugins: readonly AdmissionPlugin[],
  start: number,
  given: AdmissionRequest,
): Resource | Promise<Resource> {
  let request = given;
  for (let index = start; index < plugins.length; index++) {
    const result = plugins[index]?.mutate?.(request);
    if (result instanceof Promise) {
      const next = index + 1;
      const current = request;
      return result.then((object) => mutateFrom(plugins, next, withObject(current, object)));
    }
    if (result !== undefined && result !== request.object) request = withObject(request, result);
  }
  if (request.object === undefined) throw new Error("only documents are mutated");
  return request.object;
}

function withObject(request: AdmissionRequest, object: Resource): AdmissionRequest {
  return { ...request, object };
}

function validateFrom(
  plugins: readonly AdmissionPlugin[],
  start: number,
  request: AdmissionRequest,
): void | Promise<void> {
  for (let index = start; index < plugins.length; index++) {
    const result = plugins[index]?.validate?.(request);
    if (result instanceof Promise) {
      const next = index + 1;
      return result.then(() => validateFrom(plugins, next, request));
    }
  }
}
