// Where policies have their say: after a document was defaulted (mutate) and after it was found
// valid (validate), as in Kubernetes. A plugin sees the document in the version of the request. It
// refuses by throwing a SetpointError; most plugins have nothing to say about most requests and
// answer at once, so the chain only waits where a plugin returns a promise.

import type { SetpointError } from "../../kernel/errors.ts";
import type { HeldFault } from "../../kernel/held-fault.ts";
import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { CounterBound, CounterUse, UniqueName } from "../../store/port.ts";
import type { Caller, Target } from "../request.ts";
import { hiddenTextFilter, withoutHiddenTexts } from "../write/hidden-errors.ts";

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
  /**
   * What the resource counts against, decided inside the commit. Asked for a creation. For an
   * update only where a plugin sets `countsUpdates` and answers; its answer, with those of all
   * other plugins, then replaces what the resource held. Undefined leaves that as it is.
   */
  uses?(request: AdmissionRequest): readonly CounterUse[] | undefined;
  readonly countsUpdates?: true;
  /**
   * The unique names that the resource holds from now on, in addition to those that the caller
   * gives with the write. Together they replace the names that the resource held. Undefined leaves
   * those as they are.
   */
  names?(request: AdmissionRequest): readonly UniqueName[] | undefined;
  /** What the resource itself bounds; undefined leaves that as it is. */
  bounds?(request: AdmissionRequest): readonly CounterBound[] | undefined;
  /**
   * The error for a name or counter of this plugin that the store refused in the commit, for a
   * creation or an update. The first plugin that answers decides; each plugin answers for its own
   * names and counters only. Without an answer, the error of the store or of a quota is returned.
   */
  refusal?(request: AdmissionRequest, fault: HeldFault): SetpointError | undefined;
  /** Whether a create-only field may change in this update. */
  mayChange?(change: FieldChange): boolean;
  /** Why the kind does not declare a field that a client sent, such as `spec.serial`. */
  explainUnknown?(target: Target, path: string): string | undefined;
}

/** A change of a create-only field, at a JSON Pointer into the document. */
export interface FieldChange {
  readonly target: Target;
  readonly object: Resource;
  readonly old: Resource;
  readonly path: string;
}

export interface Admission {
  mutate(request: AdmissionRequest): Resource | Promise<Resource>;
  /** For a deletion, mutating policies are asked first: they may refuse it, too. */
  validate(request: AdmissionRequest): void | Promise<void>;
  /** Undefined leaves what the resource holds as it is. */
  uses(request: AdmissionRequest): readonly CounterUse[] | undefined;
  names(request: AdmissionRequest): readonly UniqueName[] | undefined;
  bounds(request: AdmissionRequest): readonly CounterBound[] | undefined;
  /** Undefined when no plugin words the refusal. */
  refusal(request: AdmissionRequest, fault: HeldFault): SetpointError | undefined;
  /** Whether a plugin exempts a change of a create-only field. */
  mayChange(change: FieldChange): boolean;
  /** For the message about a field that the kind does not declare. */
  explainer(target: Target): (path: string) => string | undefined;
}

export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  const mutators = plugins.filter((plugin) => plugin.mutate !== undefined);
  const validators = plugins.filter((plugin) => plugin.validate !== undefined);
  const bounders = plugins.filter((plugin) => plugin.bounds !== undefined);
  const counters = plugins.filter((plugin) => plugin.uses !== undefined);
  const updateCounters = counters.filter((plugin) => plugin.countsUpdates === true);
  const namers = plugins.filter((plugin) => plugin.names !== undefined);
  const exempters = plugins.filter((plugin) => plugin.mayChange !== undefined);
  return {
    mutate: hidingTexts((request) => {
      const result = mutateFrom(mutators, 0, request);
      return result instanceof Promise ? result.then(existing) : existing(result);
    }),
    validate: hidingTexts((request) => {
      if (request.object !== undefined) return validateFrom(validators, 0, request);
      const result = mutateFrom(mutators, 0, request);
      if (!(result instanceof Promise)) return validateFrom(validators, 0, request);
      return result.then(() => validateFrom(validators, 0, request));
    }),
    uses: (request) => {
      if (request.operation === "CREATE") {
        const all = joined(counters, (plugin) => plugin.uses?.(request));
        return all?.length === 0 ? undefined : all;
      }
      if (updateCounters.length === 0) return undefined;
      const isCounted = updateCounters.some((plugin) => plugin.uses?.(request) !== undefined);
      return isCounted ? joined(counters, (plugin) => plugin.uses?.(request)) : undefined;
    },
    names: (request) => joined(namers, (plugin) => plugin.names?.(request)),
    bounds: (request) => firstOf(bounders, (plugin) => plugin.bounds?.(request)),
    refusal: (request, fault) => {
      const error = firstOf(plugins, (plugin) => plugin.refusal?.(request, fault));
      const { object, old, target } = request;
      const filter = hiddenTextFilter(target.served.kind, [object, old]);
      return withoutHiddenTexts(filter, error) as SetpointError | undefined;
    },
    explainer: (target) => (path) =>
      firstOf(plugins, (plugin) => plugin.explainUnknown?.(target, path)),
    mayChange: (change) => exempters.some((plugin) => plugin.mayChange?.(change) === true),
  };
}

/** Policies word their errors, warnings and annotations themselves: see hidden-errors.ts. */
function hidingTexts<R>(
  admit: (request: AdmissionRequest) => R | Promise<R>,
): (request: AdmissionRequest) => R | Promise<R> {
  return (request) => {
    const { object, old, target } = request;
    const filter = hiddenTextFilter(target.served.kind, [object, old]);
    if (filter === undefined) return admit(request);
    try {
      const result = admit({ ...request, caller: filteredCaller(request.caller, filter) });
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw withoutHiddenTexts(filter, error);
      });
    } catch (error) {
      throw withoutHiddenTexts(filter, error);
    }
  };
}

function filteredCaller(caller: Caller, filter: (text: string) => string): Caller {
  const filtered: Caller = Object.create(caller, {
    warn: { value: (text: string) => caller.warn(filter(text)) },
    annotate: { value: (key: string, value: string) => caller.annotate?.(key, filter(value)) },
  }) as Caller;
  return filtered;
}

function firstOf<T>(
  plugins: readonly AdmissionPlugin[],
  ask: (plugin: AdmissionPlugin) => T | undefined,
): T | undefined {
  for (const plugin of plugins) {
    const answer = ask(plugin);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** The answers of all plugins in one list; undefined when none of them answers. */
function joined<T>(
  plugins: readonly AdmissionPlugin[],
  ask: (plugin: AdmissionPlugin) => readonly T[] | undefined,
): readonly T[] | undefined {
  let all: readonly T[] | undefined;
  for (const plugin of plugins) {
    const some = ask(plugin);
    if (some === undefined) continue;
    all = all === undefined || all.length === 0 ? some : [...all, ...some];
  }
  return all;
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
