// Admission of the Vault kinds: a tenant uses only servers and paths that an administrator allows,
// an administrator names only Secrets that they may read, and one path has one VaultSecret.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { findShared } from "../../../intents/admission/shared-resource.ts";
import { mayUse } from "../../../acting/identity.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { checkReferences } from "../../../intents/auth/secret-access.ts";
import { systemCaller } from "../../../intents/bootstrap.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { tokenIssuer } from "../../../intents/auth/service-account-token.ts";
import { selectorFieldErrors } from "../../../intents/builtin/syntax-checks.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { secretRefAt } from "../target/secret-reference.ts";
import { isSpecWritten, refuseFields } from "../target/spec-written.ts";
import { placeOf } from "./vault-access.ts";
import { sharedVault, vaultReadsKind, vaultSecretsKind, vaultServersKind } from "./vault-kinds.ts";

export interface VaultGuardPorts {
  readonly live: Pick<LiveView, "get">;
  readonly authorizer: Authorizer;
}

export function vaultGuard({ live, authorizer }: VaultGuardPorts): AdmissionPlugin {
  return {
    name: "Vault",
    validate: (request) => {
      const { target, object, caller } = request;
      if (object === undefined || !isSpecWritten(request)) return;
      if (target.served.id === vaultServersKind) {
        refuseFields(request, serverErrors(object));
        const spec = objectAt(object, "spec");
        checkReferences(authorizer, caller.user, target, [
          ...secretRefAt(spec, "auth", "token"),
          ...secretRefAt(spec, "auth", "appRole", "secretId"),
        ]);
        checkAccount(request, authorizer, objectAt(spec, "auth", "jwt", "serviceAccount"));
      }
      if (target.served.id === vaultSecretsKind) {
        refuseFields(request, secretErrors(live, request, object));
      }
      if (target.served.id === vaultReadsKind) {
        refuseFields(request, readErrors(live, request, object));
      }
    },
    names: ({ target, operation, object }) => {
      // The fields that the name consists of cannot be changed.
      if (operation !== "CREATE" || target.served.id !== vaultSecretsKind) return undefined;
      if (object === undefined) return undefined;
      const { mount, path } = placeOf(object);
      const scope = `the VaultServer ${textAt(object, "spec", "server")}`;
      return [{ scope, name: `${mount}/${path}` }];
    },
  };
}

/** Its token is sent to the URL that the author states. */
function checkAccount(
  { target, caller: { user } }: AdmissionRequest,
  authorizer: Authorizer,
  account: JsonObject,
): void {
  const [namespace, name] = [textAt(account, "namespace"), textAt(account, "name")];
  if (name === "" || user.name === systemCaller.user.name) return;
  if (mayUse(authorizer, user, namespace, name)) return;
  const why =
    `spec.auth.jwt.serviceAccount: User ${JSON.stringify(user.name)} may not use the ` +
    `ServiceAccount ${namespace}/${name}: the verb "use" on it is needed`;
  throw forbidden(target.served.storedKind, target.name, why);
}

/** A server that receives such a token could act as the ServiceAccount at this server. */
export function isOwnAudience(audience: string): boolean {
  return audience === tokenIssuer;
}

function serverErrors(server: Resource): readonly FieldError[] {
  const url = textAt(server, "spec", "url");
  const allowed = objectAt(server, "spec", "allow", "namespaces");
  const given = Object.keys(objectAt(server, "spec", "auth"));
  const audience = textAt(server, "spec", "auth", "jwt", "audience");
  const detail = "tokens of this audience are valid at this server: use another audience";
  return [
    ...selectorFieldErrors(allowed, "selector", "spec.allow.namespaces"),
    ...(isOwnAudience(audience) ? [forbiddenField("spec.auth.jwt.audience", detail)] : []),
    ...(URL.canParse(url) ? [] : [invalidField("spec.url", url, "is not a valid URL")]),
    ...(given.length === 1
      ? []
      : [invalidField("spec.auth", given, "give exactly one of token, appRole and jwt")]),
  ];
}

function secretErrors(
  live: Pick<LiveView, "get">,
  { target }: AdmissionRequest,
  object: Resource,
): readonly FieldError[] {
  const name = textAt(object, "spec", "server");
  const { namespace } = target;
  const found = findShared(live, { ...sharedVault, field: "spec.server", name, namespace });
  const errors = contentErrors(object);
  if (found.kind === "error") return [...errors, found.error];
  const server = found.resource;
  const isTaking = isTrueAt(object, "spec", "takeOver");
  const { mount, path } = placeOf(object);
  const prefixes = textsAt(server, "spec", "allow", "paths").map((prefix) => {
    return prefix.replaceAll("{namespace}", namespace);
  });
  const isAllowed =
    prefixes.length === 0 || prefixes.some((prefix) => `${mount}/${path}`.startsWith(prefix));
  const detail = `the VaultServer allows only paths that begin with ${prefixes.join(", ")}`;
  return [
    ...errors,
    ...(isAllowed ? [] : [invalidField("spec.path", `${mount}/${path}`, detail)]),
    ...(isTaking && !isTrueAt(server, "spec", "allow", "takeOver")
      ? [forbiddenField("spec.takeOver", "the VaultServer does not have spec.allow.takeOver")]
      : []),
  ];
}

function readErrors(
  live: Pick<LiveView, "get">,
  { target: { namespace } }: AdmissionRequest,
  object: Resource,
): readonly FieldError[] {
  const name = textAt(object, "spec", "server");
  const found = findShared(live, { ...sharedVault, field: "spec.server", name, namespace });
  if (found.kind === "error") return [found.error];
  const located = { ...object, metadata: { ...object.metadata, namespace } };
  const problem = readProblem(found.resource, located);
  return problem === undefined
    ? []
    : [invalidField("spec.path", textAt(object, "spec", "path"), problem)];
}

/** Why the secret of a VaultRead may not be read; undefined when it may. */
export function readProblem(server: Resource, read: Resource): string | undefined {
  const { namespace = "" } = read.metadata;
  const { mount, path } = placeOf(read);
  if (traversal.test(`${mount}/${path}`)) return "must not contain empty parts, . or ..";
  const prefixes = textsAt(server, "spec", "allow", "reads").map((prefix) => {
    return prefix.replaceAll("{namespace}", namespace);
  });
  if (prefixes.some((prefix) => `${mount}/${path}`.startsWith(prefix))) return undefined;
  return prefixes.length === 0
    ? "the VaultServer has no spec.allow.reads: an administrator states what may be read"
    : `the VaultServer allows only reads of paths that begin with ${prefixes.join(", ")}`;
}

const traversal = /(?:^|\/)\.{1,2}(?:\/|$)|\/\//;

function contentErrors(object: Resource): readonly FieldError[] {
  const data = objectAt(object, "spec", "data");
  const generated = objectsAt(object, "spec", "generate");
  const { mount, path } = placeOf(object);
  const isTraversing = traversal.test(`${mount}/${path}`);
  return [
    ...(isTraversing
      ? [invalidField("spec.path", path, "must not contain empty parts, . or ..")]
      : []),
    ...(Object.keys(data).length + generated.length === 0
      ? [invalidField("spec.data", {}, "at least one value is needed, in data or generate")]
      : []),
    ...generated.flatMap((each, index) => {
      const key = textAt(each, "key");
      const isTwice = Object.keys(data).includes(key);
      const detail = "is also a key of data";
      return isTwice ? [invalidField(`spec.generate[${index}].key`, key, detail)] : [];
    }),
  ];
}
