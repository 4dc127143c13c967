// Admission of the Consul kinds: a tenant uses only servers and keys that an administrator allows,
// and an administrator names only Secrets that they may read.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { findShared } from "../../../intents/admission/shared-resource.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { checkReferences } from "../../../intents/auth/secret-access.ts";
import { selectorFieldErrors } from "../../../intents/builtin/syntax-checks.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { duplicateField, forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { isTrueAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { secretRefAt } from "../target/secret-reference.ts";
import { isSpecWritten, refuseFields } from "../target/spec-written.ts";
import { allowedPrefixes, wantedKeys } from "./consul-access.ts";
import {
  consulKeysKind,
  consulServersKind,
  consulServicesKind,
  sharedConsul,
} from "./consul-kinds.ts";

export interface ConsulGuardPorts {
  readonly live: Pick<LiveView, "get">;
  readonly authorizer: Authorizer;
}

export function consulGuard({ live, authorizer }: ConsulGuardPorts): AdmissionPlugin {
  return {
    name: "Consul",
    validate: (request) => {
      const { target, object, caller } = request;
      if (object === undefined || !isSpecWritten(request)) return;
      switch (target.served.id) {
        case consulServersKind: {
          refuseFields(request, serverErrors(object));
          const references = secretRefAt(objectAt(object, "spec"), "token");
          checkReferences(authorizer, caller.user, target, references);
          return;
        }
        case consulKeysKind:
          refuseFields(request, keysErrors(live, request, object));
          return;
        case consulServicesKind:
          refuseFields(request, sharedErrors(live, request, object).errors);
          return;
        default:
      }
    },
  };
}

function serverErrors(server: Resource): readonly FieldError[] {
  const url = textAt(server, "spec", "url");
  const allowed = objectAt(server, "spec", "allow", "namespaces");
  const errors = selectorFieldErrors(allowed, "selector", "spec.allow.namespaces");
  if (URL.canParse(url)) return errors;
  return [...errors, invalidField("spec.url", url, "is not a valid URL")];
}

function sharedErrors(
  live: Pick<LiveView, "get">,
  { target }: AdmissionRequest,
  object: Resource,
): { readonly errors: readonly FieldError[]; readonly server?: Resource } {
  const name = textAt(object, "spec", "server");
  const { namespace } = target;
  const found = findShared(live, { ...sharedConsul, field: "spec.server", name, namespace });
  if (found.kind === "error") return { errors: [found.error] };
  return { errors: [], server: found.resource };
}

function keysErrors(
  live: Pick<LiveView, "get">,
  request: AdmissionRequest,
  object: Resource,
): readonly FieldError[] {
  const { errors, server } = sharedErrors(live, request, object);
  if (server === undefined) return [...errors, ...contentErrors(object)];
  const isTaking = isTrueAt(object, "spec", "takeOver");
  const taking =
    isTaking && !isTrueAt(server, "spec", "allow", "takeOver")
      ? [forbiddenField("spec.takeOver", "the ConsulServer does not have spec.allow.takeOver")]
      : [];
  const prefixes = allowedPrefixes(server, request.target.namespace);
  return [...taking, ...prefixErrors(object, prefixes), ...contentErrors(object)];
}

function prefixErrors(object: Resource, prefixes: readonly string[]): readonly FieldError[] {
  if (prefixes.length === 0) return [];
  const isAllowed = (text: string): boolean => prefixes.some((prefix) => text.startsWith(prefix));
  const wrong = [...wantedKeys(object).keys()].find((key) => !isAllowed(key));
  if (wrong === undefined) return [];
  const detail = `the ConsulServer allows only keys that begin with ${prefixes.join(", ")}`;
  return [invalidField("spec.prefix", wrong, detail)];
}

/** `..` and empty parts: newer versions of Consul refuse them or change the key. */
const traversal = /(?:^|\/)\.{1,2}(?:\/|$)|\/\/|^\//;

function contentErrors(object: Resource): readonly FieldError[] {
  const plain = objectAt(object, "spec", "keys");
  const twice = Object.keys(objectAt(object, "spec", "secretKeys")).filter((key) => key in plain);
  const wanted = wantedKeys(object);
  const bytes = [...wanted].reduce((sum, [key, value]) => {
    return sum + Buffer.byteLength(key) + Buffer.byteLength(value);
  }, 0);
  const wrong = [...wanted.keys()].filter((key) => traversal.test(key));
  return [
    ...twice.map((key) => duplicateField(`spec.secretKeys[${key}]`, key)),
    ...wrong.map((key) =>
      invalidField("spec.keys", key, "must not begin with / or contain empty parts, . or .."),
    ),
    ...(wanted.size === 0
      ? [invalidField("spec.keys", {}, "at least one key is needed, in keys or secretKeys")]
      : []),
    ...(wanted.size > executorLimits.maxConsulOperations
      ? [
          invalidField(
            "spec.keys",
            wanted.size,
            `a transaction has at most ${executorLimits.maxConsulOperations} keys: use several ` +
              "ConsulKeys",
          ),
        ]
      : []),
    ...(bytes > executorLimits.maxConsulBytes
      ? [
          invalidField(
            "spec.keys",
            bytes,
            `keys and values have at most ${executorLimits.maxConsulBytes} bytes together: use ` +
              "several ConsulKeys",
          ),
        ]
      : []),
  ];
}
