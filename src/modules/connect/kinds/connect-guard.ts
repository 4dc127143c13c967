// What is refused when somebody writes a resource of a kind that is kept in a service, or one of
// the kinds that say how. Once an object is there, what names it and what the service would not
// change is fixed; what only the service sets may be echoed, which is dropped, and not be set.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { checkReferences } from "../../../intents/auth/secret-access.ts";
import { refusedBy } from "../../../intents/admission/attributes.ts";
import { invalid } from "../../../intents/refusals.ts";
import { certificatesProblem } from "../../../kernel/certificates.ts";
import { checkFieldRules } from "../../../kernel/field-rules.ts";
import { forbiddenField, invalidField, requiredField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { equalJson, getOwn, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt, presentObjectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import { isMadeOutside, mayStillChange } from "./kept-object.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Binding, Management } from "../binding.ts";
import { ConnectionProblem, baseAddress } from "../http/connection.ts";
import { HookFailed, verdictOf } from "../loop/hooks.ts";
import type { NamedHooks } from "../loop/hooks.ts";
import { managementOf } from "../loop/management.ts";
import { shownAt } from "../loop/showing.ts";
import { fieldsFor } from "../plan/fields.ts";
import type { Fields } from "../plan/fields.ts";
import { isNaming } from "../plan/naming-fields.ts";
import { unnamedParent } from "../plan/unnamed-parent.ts";
import { canUpdate, compileBinding } from "./compiled-binding.ts";
import type { CompiledBinding } from "./compiled-binding.ts";
import { connectionsKind } from "./connection-kind.ts";
import { bindingOf } from "./follow-kinds.ts";
import { isKeptKind } from "./kept-kind.ts";
import { leaveWarnings, pointerErrors, unknownSecretErrors } from "./named-fields.ts";
import { whyUnknown } from "./why-unknown.ts";
import { restKindsKind } from "./rest-kind-kind.ts";
import { connectionReferences, resourceReferences } from "./secret-references.ts";

export function connectGuard(
  live: Pick<LiveView, "get">,
  hooks: readonly NamedHooks[],
  authorizer: Authorizer,
): AdmissionPlugin {
  const compiledFor = ({
    target,
  }: Pick<AdmissionRequest, "target">): CompiledBinding | undefined => {
    const isWhole = target.subresource === "" && target.served.kind.origin === "definition";
    return isWhole ? bindingOf(live, target.served.id) : undefined;
  };
  return {
    name: "Connect",
    mayChange: ({ target, old, object, path }) =>
      isKeptKind(live, target.served.id) && mayStillChange(old, object, path),
    explainUnknown: (target, path) => {
      const compiled = compiledFor({ target });
      return compiled === undefined ? undefined : whyUnknown(compiled, path);
    },
    mutate: (request) => {
      const compiled = compiledFor(request);
      if (request.object === undefined || compiled === undefined) return request.object;
      const wrong = pointerErrors(request.object);
      const { served, name } = request.target;
      if (wrong.length > 0) throw invalid(served.storedKind, name, wrong);
      return withoutEchoes(request.object, request.old, compiled);
    },
    validate: async (request) => {
      const { object, target, caller } = request;
      if (object === undefined || target.subresource !== "") return;
      const compiled = compiledFor(request);
      const errors = compiled === undefined ? kindErrors(request, object) : [];
      if (compiled !== undefined) {
        const { schema } = target.version.definition;
        errors.push(...specErrors(object, request.old, schema));
        errors.push(...unknownSecretErrors(object, request.old, schema, compiled));
        errors.push(...resourceErrors(object, request.old, compiled, target.served.kind));
        for (const text of replaceWarnings(object, compiled)) caller.warn(text);
        for (const text of leaveWarnings(object, schema, compiled)) caller.warn(text);
        const own = hooks.filter((each) => each.hooks.kind === compiled.kind);
        const warn = (text: string): void => caller.warn(text);
        if (own.length > 0) errors.push(...(await hookErrors(request, own, warn)));
      }
      if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
      const isConnection = target.served.id === connectionsKind;
      if (compiled === undefined && !isConnection) return;
      const references = isConnection
        ? connectionReferences(object, request.old)
        : resourceReferences(object, request.old, target.namespace);
      checkReferences(authorizer, caller.user, target, references);
    },
  };
}

/** Of the kinds of this module. */
function kindErrors({ target }: AdmissionRequest, object: Resource): FieldError[] {
  const spec = objectAt(object, "spec");
  if (target.served.id === connectionsKind) {
    const ca = textAt(spec, "tls", "ca");
    const wrongCa = ca === "" ? undefined : certificatesProblem(ca);
    const errors = wrongCa === undefined ? [] : [forbiddenField("spec.tls.ca", wrongCa)];
    try {
      baseAddress(textAt(spec, "baseUrl"));
      return errors;
    } catch (error) {
      if (!(error instanceof ConnectionProblem)) throw error;
      // The value may hold a password, which is the mistake.
      return [...errors, forbiddenField("spec.baseUrl", error.message)];
    }
  }
  if (target.served.id !== restKindsKind) return [];
  const made = compileBinding(target.name, spec);
  if (made.kind === "compiled") return [];
  return made.problems.map((problem) => {
    const at = problem.indexOf(": ");
    return forbiddenField(`spec.${problem.slice(0, at)}`, problem.slice(at + 2));
  });
}

function resourceErrors(
  object: Resource,
  old: Resource | undefined,
  { binding, tree }: CompiledBinding,
  kind: Parameters<typeof checkFieldRules>[0],
): readonly FieldError[] {
  const management = managementOf(object);
  const fields = fieldsFor(tree, management);
  const errors = [
    ...combinationErrors(object, management),
    ...namingSecrets(management, binding),
    ...setReadOnly(object.spec, fields, "spec"),
    ...parentErrors(management, old, binding),
  ];
  if (old === undefined) return errors;
  errors.push(...fixedErrors(object, old, binding));
  const known = new Set(kind.fieldRules.map(({ path }) => path));
  const rules = createOnlyRules(binding).filter(({ path }) => !known.has(path));
  const reported = new Set<string>();
  for (const { path, ...change } of checkFieldRules({ fieldRules: rules }, old, object)) {
    if (known.has(path) || reported.has(path) || mayStillChange(old, object, path)) continue;
    reported.add(path);
    const at = path.slice("/spec".length);
    const [was, now] = [change.old, change.new].map((value) => {
      return value === undefined ? undefined : shownAt({ fields, hide: (text) => text }, at, value);
    });
    errors.push(changedError(path, was, now));
  }
  return errors;
}

/**
 * Without a spec nothing of it would be required. What is adopted by its id needs none, and what
 * was stored without one before stays as it is.
 */
function specErrors(
  object: Resource,
  old: Resource | undefined,
  schema: JsonObject,
): readonly FieldError[] {
  const isLeftOut = object.spec === undefined && (old === undefined || old.spec !== undefined);
  if (!isLeftOut || managementOf(object).id !== undefined) return [];
  if (textsAt(schema, "properties", "spec", "required").length === 0) return [];
  return [requiredField("spec", "can be left out only if connect.id is set")];
}

function createOnlyRules(binding: Binding): Parameters<typeof checkFieldRules>[0]["fieldRules"] {
  const paths = new Set(
    binding.fields.flatMap((field) => (field.class === "create-only" ? field.path : [])),
  );
  const { identity } = binding;
  if (identity.kind === "client" && identity.field !== undefined) paths.add(identity.field);
  if (identity.kind === "composite") {
    for (const path of Object.values(identity.fields)) paths.add(path);
  }
  if (!canUpdate(binding)) paths.add("/*");
  return [...paths].map((path) => {
    const whole = `/spec${path}`;
    return { path: whole, rule: "create-only", segments: parsePointer(whole) };
  });
}

function changedError(path: string, was: Json | undefined, now: Json | undefined): FieldError {
  const text = (value: Json | undefined): string =>
    value === undefined ? "absent" : JSON.stringify(value);
  const field = parsePointer(path).join(".");
  const why = "the field cannot be changed after creation";
  return invalidField(field, now, `${why}: old ${text(was)}, new ${text(now)}`);
}

/** What says which object it is. */
function fixedErrors(object: Resource, old: Resource, binding: Binding): readonly FieldError[] {
  const isMade = isMadeOutside(old);
  const fixed = isMade ? ["id", "parent", "connection", "parameters"] : ["id"];
  return fixed.flatMap((key) => {
    const [was, now] = [old, object].map((each) => valueAt(each["connect"], key));
    if (equalJson(was, now)) return [];
    // A person may say which object a creation has made, or name the one that is known.
    const isSought = ["renaming", "created"].some((page) => {
      return presentObjectAt(old.status, "connect", page) !== undefined;
    });
    if (key === "id" && isSought) return [];
    if (key === "id" && was === undefined) {
      const known = textAt(old.status, "connect", "id");
      if (known === "" || known === now) return [];
    }
    if (key === "connection" && (was ?? now) === binding.connection && !(was && now)) return [];
    return [changedError(`/connect/${key}`, was, now)];
  });
}

function combinationErrors(object: Resource, management: Management): readonly FieldError[] {
  const { manage = "full", drift, replace = [], secrets = [], id, adopt } = management;
  const errors: FieldError[] = [];
  if (manage === "observe" && drift === "correct") {
    errors.push(forbiddenField("connect.drift", "has no effect while manage is observe"));
  }
  if (manage !== "full" && replace.length > 0) {
    const why = `cannot be used while manage is ${manage}, because objects are not deleted`;
    errors.push(forbiddenField("connect.replace", why));
  }
  if (id !== undefined && adopt !== undefined) {
    errors.push(forbiddenField("connect.adopt", "cannot be used together with connect.id"));
  }
  if (id !== undefined && replace.length > 0) {
    const why = "cannot be used together with connect.id: an adopted object is never created again";
    errors.push(forbiddenField("connect.replace", why));
  }
  for (const [index, { field }] of secrets.entries()) {
    const given = object.spec === undefined ? undefined : getAt(object.spec, parsePointer(field));
    if (given === undefined) continue;
    const why = `the spec also has a value at ${field}: remove one of the two`;
    errors.push(forbiddenField(`connect.secrets[${index}].field`, why));
  }
  return errors;
}

/** What names no field that is fixed has no effect, which is hardly what was meant. */
function replaceWarnings(object: Resource, { kind, binding, tree }: CompiledBinding): string[] {
  const fixed = new Set(createOnlyRules(binding).map(({ path }) => path));
  return (managementOf(object).replace ?? []).flatMap((pointer, index) => {
    const tokens = parsePointer(pointer);
    const at = tokens.reduce((fields, token) => fields.child(token), fieldsFor(tree));
    const isAbove = [...fixed].some((path) => path.startsWith(`/spec${pointer}`));
    if (at.rule.class === "create-only" || isAbove) return [];
    return [
      `connect.replace[${index}]: ${pointer} is not a create-only field of the RestKind ${kind}`,
    ];
  });
}

/** What was stored without its parent before stays as it is: its run tells the same. */
function parentErrors(
  management: Management,
  old: Resource | undefined,
  binding: Binding,
): readonly FieldError[] {
  const problem = unnamedParent(binding, management);
  if (problem === undefined) return [];
  const wasSo = old !== undefined && unnamedParent(binding, managementOf(old)) !== undefined;
  return wasSo ? [] : [requiredField("connect.parent", problem)];
}

function namingSecrets({ secrets = [] }: Management, binding: Binding): readonly FieldError[] {
  return secrets.flatMap(({ field }, index) => {
    if (!isNaming(binding, field)) return [];
    const why = `${field} identifies the object and is readable, so it cannot be a secret`;
    return [forbiddenField(`connect.secrets[${index}].field`, why)];
  });
}

/** Fields that only the service sets. */
function setReadOnly(value: Json | undefined, fields: Fields, path: string): FieldError[] {
  if (value === undefined || !isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const below = fields.child(key);
    const field = `${path}.${key}`;
    if (below.rule.class !== "read-only") return setReadOnly(item, below, field);
    return [forbiddenField(field, "is set only by the service")];
  });
}

/** Without what the service sets, where it is only repeated. */
function withoutEchoes(
  object: Resource,
  old: Resource | undefined,
  { tree }: CompiledBinding,
): Resource {
  const observed = old === undefined ? {} : objectAt(old.status, "observed");
  const spec = object.spec;
  if (spec === undefined || !isJsonObject(spec)) return object;
  const next = dropEchoes(spec, observed, fieldsFor(tree));
  return next === spec ? object : { ...object, spec: next };
}

function dropEchoes(spec: JsonObject, observed: JsonObject, fields: Fields): JsonObject {
  const kept: MutableJsonObject = {};
  let isSame = true;
  for (const [key, value] of Object.entries(spec)) {
    const below = fields.child(key);
    const shown = getOwn(observed, key);
    const isEcho = below.rule.class === "read-only" && equalJson(value, shown);
    if (isEcho) {
      isSame = false;
      continue;
    }
    const inner = isJsonObject(value)
      ? dropEchoes(value, shown !== undefined && isJsonObject(shown) ? shown : {}, below)
      : value;
    if (inner !== value) isSame = false;
    setOwn(kept, key, inner);
  }
  return isSame ? spec : kept;
}

async function hookErrors(
  request: AdmissionRequest,
  hooks: readonly NamedHooks[],
  warn: (text: string) => void,
): Promise<readonly FieldError[]> {
  const { object, old } = request;
  if (object === undefined) return [];
  try {
    const { errors, warnings } = await verdictOf(hooks, {
      object,
      ...(old === undefined ? {} : { old }),
    });
    for (const warning of warnings) warn(warning);
    return errors.map(({ field, message }) => forbiddenField(field, message));
  } catch (error) {
    if (!(error instanceof HookFailed)) throw error;
    throw refusedBy(request, error.message);
  }
}
