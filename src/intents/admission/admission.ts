// Where policies have their say: after a document was defaulted (mutate) and after it was found
// valid (validate), as in Kubernetes. A plugin sees the document in the version of the request. It
// refuses by throwing a SetpointError; most plugins have nothing to say about most requests and
// answer at once, so the chain only waits where a plugin returns a promise.

import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { CounterBound, CounterUse } from "../../store/port.ts";
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
  /** CreateOptions, UpdateOptions or DeleteOptions, as webhooks see them. */
  readonly options: Json;
  /** The name was chosen by the server, which mutating policies do not see yet. */
  readonly isNameGenerated?: boolean;
}

export interface AdmissionPlugin {
  readonly name: string;
  /** Returns the document to go on with: none for a deletion, which has none to be changed. */
  mutate?(request: AdmissionRequest): Resource | undefined | Promise<Resource | undefined>;
  validate?(request: AdmissionRequest): void | Promise<void>;
  /** What a new resource counts against, decided inside the commit. */
  uses?(request: AdmissionRequest): readonly CounterUse[];
  /** What the resource itself bounds; undefined leaves that as it is. */
  bounds?(request: AdmissionRequest): readonly CounterBound[] | undefined;
}

export interface Admission {
  mutate(request: AdmissionRequest): Resource | Promise<Resource>;
  /** For a deletion, mutating policies are asked first: they may refuse it, too. */
  validate(request: AdmissionRequest): void | Promise<void>;
  /** Undefined leaves what the resource holds as it is. */
  uses(request: AdmissionRequest): readonly CounterUse[] | undefined;
  bounds(request: AdmissionRequest): readonly CounterBound[] | undefined;
}

export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  const mutators = plugins.filter((plugin) => plugin.mutate !== undefined);
  const validators = plugins.filter((plugin) => plugin.validate !== undefined);
  const bounders = plugins.filter((plugin) => plugin.bounds !== undefined);
  const counters = plugins.filter((plugin) => plugin.uses !== undefined);
  return {
    mutate: (request) => {
      const result = mutateFrom(mutators, 0, request);
      return result instanceof Promise ? result.then(existing) : existing(result);
    },
    validate: (request) => {
      if (request.object !== undefined) return validateFrom(validators, 0, request);
      const result = mutateFrom(mutators, 0, request);
      if (!(result instanceof Promise)) return validateFrom(validators, 0, request);
      return result.then(() => validateFrom(validators, 0, request));
    },
    uses: (request) => {
      if (request.operation !== "CREATE") return undefined;
      let all: readonly CounterUse[] | undefined;
      for (const plugin of counters) {
        const uses = plugin.uses?.(request);
        if (uses === undefined || uses.length === 0) continue;
        all = all === undefined ? uses : [...all, ...uses];
      }
      return all;
    },
    bounds: (request) => {
      for (const plugin of bounders) {
        const bounds = plugin.bounds?.(request);
        if (bounds !== undefined) return bounds;
      }
      return undefined;
    },
  };
}

function mutateFrom(
  plugins: readonly AdmissionPlugin[],
  start: number,
  given: AdmissionRequest,
): Resource | undefined | Promise<Resource | undefined> {
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
  return request.object;
}

function existing(object: Resource | undefined): Resource {
  if (object === undefined) throw new Error("only documents are mutated");
  return object;
}

function withObject(request: AdmissionRequest, object: Resource | undefined): AdmissionRequest {
  return object === undefined || object === request.object ? request : { ...request, object };
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
