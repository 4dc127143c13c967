// Templates: a complete check when one is created, and no deletion while it is used.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { namespaceTenant } from "../../../intents/auth/tenant-name.ts";
import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import { numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { timedPauses } from "../../../kernel/pauses.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { isMarkedDestroyed } from "../environment/environment.ts";
import { environmentsKind, resourcesKind, templateTerm, templatesKind } from "../names.ts";
import { slicedCompilation } from "../templates/compile.ts";
import type { KindOf } from "../templates/compile.ts";
import { inTurnsOf } from "../templates/turns.ts";
import { isDeletionOf, isWriteOf, refuse } from "./writes.ts";

export interface TemplateGuardPorts {
  readonly kinds: Pick<KindRegistry, "findKind">;
  readonly store: Pick<Store, "list">;
}

export function templateGuard({ kinds, store }: TemplateGuardPorts): AdmissionPlugin {
  const kindOf = kindsIn(kinds);
  return {
    name: "EnvironmentTemplates",
    validate: async (request) => {
      if (isDeletionOf(request, templatesKind)) {
        await checkUnused(store, request);
        return;
      }
      const { object, operation } = request;
      // The spec cannot change afterwards.
      if (object === undefined || operation !== "CREATE") return;
      if (!isWriteOf(request, templatesKind)) return;
      const { namespace } = request.target;
      await prepareKinds(kinds, object.spec, namespace);
      const { errors } = await inTurnsOf(namespace, slicedCompilation(object.spec, kindOf));
      refuse(request, [...nameErrors(request), ...errors]);
    },
  };
}

type Kinds = Pick<KindRegistry, "findKind">;

export function kindsIn(kinds: Kinds): KindOf {
  return (apiVersion, kind) => {
    const found = findKind(kinds, apiVersion, kind);
    if (found === undefined) return undefined;
    const { served, version } = found;
    return {
      kind: served.kind,
      get schema() {
        return version.type.schema;
      },
    };
  };
}

function findKind(kinds: Kinds, apiVersion: string, kind: string): ReturnType<Kinds["findKind"]> {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return kinds.findKind(group, apiVersion.slice(slash + 1), kind);
}

/** Large schemas are compiled in slices before they are needed. */
async function prepareKinds(
  kinds: Kinds,
  spec: Resource["spec"],
  namespace: string,
): Promise<void> {
  const pause = timedPauses(namespaceTenant(namespace));
  for (const { template } of [...objectsAt(spec, "resources"), ...objectsAt(spec, "actions")]) {
    const found = findKind(kinds, textAt(template, "apiVersion"), textAt(template, "kind"));
    await found?.version.prepare(async () => await pause());
  }
}

/** The name states the id and the version. */
function nameErrors({ object }: AdmissionRequest): readonly FieldError[] {
  const name = object?.metadata.name ?? "";
  const wanted = `${textAt(object?.spec, "id")}.v${numberAt(object?.spec, "version") ?? 0}`;
  if (name === wanted) return [];
  return [invalidField("metadata.name", name, `must be spec.id and spec.version: ${wanted}`)];
}

/** Environments that are Destroyed do not use it: they have no resources. */
async function checkUnused(
  store: Pick<Store, "list">,
  { target }: AdmissionRequest,
): Promise<void> {
  const { namespace, name } = target;
  const fields = [{ path: templateTerm, operator: "in", values: [name] }] as const;
  const labels = [] as const;
  const resources = await store.list({ kind: resourcesKind, namespace, fields, labels, limit: 1 });
  const [resource] = resources.records;
  if (resource !== undefined) throw inUse(target, "EnvironmentResource", resource.key.name);
  const query = { kind: environmentsKind, namespace, fields };
  let page = await store.list(query);
  for (;;) {
    const user = page.records.find(({ body }) => !isMarkedDestroyed(decodeDocument(body, 0)));
    if (user !== undefined) throw inUse(target, "Environment", user.key.name);
    if (page.next === undefined) return;
    page = await store.list({ ...query, from: page.next });
  }
}

/** A code that the deletion of a namespace reports and repeats. */
function inUse({ name }: AdmissionRequest["target"], kind: string, user: string): SetpointError {
  const message =
    `the Template ${name} is used by the ${kind} ${user}: ` +
    "destroy the Environment, or move it to another version, before you delete the Template";
  return new SetpointError("resource.protected", message, {
    details: { name, kind: "templates" },
    suggestion: `Run setpoint env list, and delete the Environments that use ${name}.`,
  });
}
