// A Target over the API of a server: this one in the name of a ServiceAccount, or another one by
// its kubeconfig. Refusals of the server are data, without values of Secrets.

import { KubeError } from "../../../adapters/kubernetes/port.ts";
import type { ObjectApi, ServedObjectKind } from "../../../acting/object-api.ts";
import { hider } from "../../../kernel/hider.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { apiVersionOf, referenceKey, referenceOf, referenceText } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { FoundObjects, KindScope, ObjectKind, Target, TargetProblem } from "./target.ts";
import type { TargetRules } from "./target.ts";

export interface ObjectTargetInput {
  readonly api: ObjectApi;
  readonly rules: TargetRules;
  readonly isProtected: (kind: ObjectKind, served: ServedObjectKind) => boolean;
  readonly label: string;
}

export function objectTarget(input: ObjectTargetInput): Target {
  const { api, rules } = input;
  return {
    about: rules.identity,
    discover: async (kinds) => {
      const scopes = new Map<string, KindScope>();
      const add = ({ group, version, kind }: ObjectKind, scope: KindScope): void => {
        scopes.set(`${group}/${version}/${kind}`, scope);
      };
      const failure = await each(kinds, async (kind) => {
        const served = await api.findKind({
          apiVersion: apiVersionOf(placeOf(kind)),
          kind: kind.kind,
        });
        if (served === undefined) return;
        const { plural, isNamespaced } = served;
        const scope = { plural, isNamespaced, isProtected: input.isProtected(kind, served) };
        if (served.formOf === undefined) {
          add(kind, scope);
          return;
        }
        const formOf = referenceOf({ ...served.formOf }, "");
        add(formOf, scope);
        add(kind, { ...scope, formOf });
      });
      return failure ?? { kind: "kinds", scopes };
    },
    read: async (references) => {
      const found = emptyFound();
      const failure = await each(references, async (reference) => {
        const key = referenceKey(reference);
        try {
          const object = await api.get(inApi(reference));
          if (object !== undefined) found.objects.set(key, object);
        } catch (error) {
          if (!isRefusal(error)) throw error;
          found.problems.set(key, problemOf(error, reference));
        }
      });
      return failure ?? found;
    },
    listOwned: async (kinds, uid) => await listOwned(input, kinds, uid),
    apply: async (reference, object, { isDryRun, isReplaced = false }) => {
      const refusal = rules.refusal(reference, reference.namespace !== "");
      if (refusal !== undefined) return problem("PolicyDenied", refusal);
      return await answered(reference, object, async () => {
        if (isReplaced) {
          const left = await replaced(api, reference, isDryRun);
          if (left === "dry") return { kind: "applied", object };
          if (left === "deleting") return waitingFor(reference);
        }
        const applied = await api.apply(inApi(reference), object, isDryRun);
        return { kind: "applied", object: applied };
      });
    },
    delete: async (reference, uid, propagation) =>
      await answered(reference, undefined, async () => {
        try {
          await api.delete(inApi(reference), uid, propagation);
          return { kind: "deleted", isAbsent: false };
        } catch (error) {
          if (!(error instanceof KubeError) || ![404, 409].includes(error.status)) throw error;
          const live = await api.get(inApi(reference));
          if (textAt(live, "metadata", "uid") === uid) throw error;
          return { kind: "deleted", isAbsent: true };
        }
      }),
  };
}

async function listOwned(
  { api, label }: ObjectTargetInput,
  kinds: readonly ObjectKind[],
  deploymentUid: string,
): Promise<FoundObjects | TargetProblem> {
  const found = emptyFound();
  const failure = await each(kinds, async (kind) => {
    try {
      const wanted = { apiVersion: apiVersionOf(placeOf(kind)), kind: kind.kind };
      for (const object of await api.listLabelled(wanted, label, deploymentUid)) {
        const named = referenceOf(object, textAt(object, "metadata", "namespace"));
        found.objects.set(referenceKey(named), object);
      }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      found.problems.set(referenceKey(placeOf(kind)), problemOf(error, placeOf(kind)));
    }
  });
  return failure ?? found;
}

function emptyFound(): FoundObjects & {
  readonly objects: Map<string, JsonObject>;
  readonly problems: Map<string, TargetProblem>;
} {
  return { kind: "objects", objects: new Map(), problems: new Map() };
}

/** A problem of the server as a whole ends the work. */
async function each<T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<TargetProblem | undefined> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  const workers = Math.min(gitopsLimits.targetCallsAtOnce, items.length);
  try {
    await Promise.all(Array.from({ length: workers }, work));
    return undefined;
  } catch (error) {
    if (error instanceof KubeError) return problemOf(error, undefined);
    throw error;
  }
}

/** The object is deleted before it is applied again, because a field of it cannot be changed. */
async function replaced(
  api: ObjectApi,
  reference: ObjectReference,
  isDryRun: boolean,
): Promise<"absent" | "deleting" | "dry"> {
  const live = await api.get(inApi(reference));
  if (live === undefined) return "absent";
  if (isDryRun) return "dry";
  await api.delete(inApi(reference), textAt(live, "metadata", "uid"));
  return (await api.get(inApi(reference))) === undefined ? "absent" : "deleting";
}

async function answered<T>(
  reference: ObjectReference,
  object: JsonObject | undefined,
  call: () => Promise<T>,
): Promise<T | TargetProblem> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof KubeError) return problemOf(error, reference, object);
    throw error;
  }
}

/** Of one object, and not of the server as a whole. */
function isRefusal(error: unknown): error is KubeError {
  return error instanceof KubeError && [400, 403, 404, 405].includes(error.status);
}

export function problemOf(
  error: KubeError,
  reference: ObjectReference | undefined,
  object?: JsonObject,
): TargetProblem {
  const hide = hider(secretTexts(object));
  const text = hide(error.message);
  const subject = reference === undefined ? "" : referenceText(reference);
  const message = subject === "" || text.startsWith(subject) ? text : `${subject}: ${text}`;
  const reason = reasonOf(error);
  const isFinal = error.isFinal && !["KindNotServed", "NamespaceMissing"].includes(reason);
  return { kind: "problem", reason, message, isFinal };
}

const missingNamespace = /namespaces? "[^"]*" not found/i;

function reasonOf({ status, reason, message }: KubeError): TargetProblem["reason"] {
  if (status === 0) return "Unreachable";
  if (reason === "UnknownKind") return "KindNotServed";
  if (status === 404) return missingNamespace.test(message) ? "NamespaceMissing" : "NotFound";
  if (status === 401 || status === 403) return "Forbidden";
  if (status === 409) return "Conflict";
  if (status !== 400 && status !== 422) return "Failed";
  return /immutable|cannot be changed/i.test(message) ? "Immutable" : "Invalid";
}

function problem(reason: TargetProblem["reason"], message: string): TargetProblem {
  return { kind: "problem", reason, message, isFinal: true };
}

function waitingFor(reference: ObjectReference): TargetProblem {
  const message = `${referenceText(reference)}: waiting for its deletion, to create it again`;
  return { kind: "problem", reason: "Conflict", message, isFinal: false };
}

/** Servers quote values. Those of a Secret are never shown, in plain text or as base64. */
function secretTexts(object: JsonObject | undefined): readonly string[] {
  if (object === undefined || textAt(object, "kind") !== "Secret") return [];
  return ["data", "stringData"].flatMap((field) =>
    Object.values(objectAt(object, field)).flatMap((value) =>
      typeof value !== "string"
        ? []
        : [value, Buffer.from(value).toString("base64"), Buffer.from(value, "base64").toString()],
    ),
  );
}

function placeOf({ group, version, kind }: ObjectKind): ObjectReference {
  return { group, version, kind, namespace: "", name: "" };
}

function inApi(reference: ObjectReference): Parameters<ObjectApi["get"]>[0] {
  const { kind, namespace, name } = reference;
  return { apiVersion: apiVersionOf(reference), kind, namespace, name };
}
