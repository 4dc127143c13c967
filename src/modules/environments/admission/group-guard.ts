// ResourceGroups: their names, and the graphs of their links and of the groups that they depend on.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { recordsInTurns } from "../../../intents/read/records-in-turns.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import { objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { suggester } from "../../../kernel/nearest-name.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { environmentLimits } from "../limits.ts";
import { groupsKind } from "../names.ts";
import { cycleIn } from "../templates/graph.ts";
import { hasChanged, isServer, isWriteOf, refuse } from "./writes.ts";

export function groupGuard(store: Pick<Store, "getMany">): AdmissionPlugin {
  return {
    name: "EnvironmentGroups",
    validate: async (request) => {
      const { object } = request;
      if (object === undefined || !isWriteOf(request, groupsKind)) return;
      refuse(request, [...groupNameErrors(request), ...groupErrors(object)]);
      // The groups of an Environment were checked with its Template.
      if (isServer(request) || !hasChanged(request, ["dependsOn"])) return;
      refuse(request, await dependencyErrors(request, object, store));
    },
  };
}

/** The server names the groups of an Environment ENVIRONMENT.ID. */
function groupNameErrors(request: AdmissionRequest): readonly FieldError[] {
  const { object, operation } = request;
  const name = object?.metadata.name ?? "";
  if (operation !== "CREATE" || isServer(request) || !name.includes(".")) return [];
  const detail = "must not contain a dot: such names are those of groups of Environments";
  return [invalidField("metadata.name", name, detail)];
}

/** The graph of the links of a group. */
function groupErrors(group: Resource | undefined): readonly FieldError[] {
  const links = objectsAt(group?.spec, "resources");
  const ids = new Set(links.map((link) => textAt(link, "id")));
  const suggest = suggester();
  const errors = links.flatMap((link, at) =>
    textsAt(link, "dependsOn").flatMap((other, index) => {
      if (ids.has(other)) return [];
      const detail = `the group has no resource ${other}${suggest(other, ids)}`;
      return [invalidField(`spec.resources[${at}].dependsOn[${index}]`, other, detail)];
    }),
  );
  if (errors.length > 0) return errors;
  const graph = new Map(links.map((link) => [textAt(link, "id"), textsAt(link, "dependsOn")]));
  const cycle = cycleIn(graph);
  if (cycle === undefined) return [];
  const detail = `the resources of the group have a cycle: ${cycle.join(" -> ")}`;
  return [invalidField("spec.resources", cycle[0] ?? "", detail)];
}

/** A group that depends on itself through groups that exist. */
async function dependencyErrors(
  { target, caller }: AdmissionRequest,
  { metadata, spec }: Resource,
  store: Pick<Store, "getMany">,
): Promise<readonly FieldError[]> {
  const { namespace } = target;
  const graph = new Map([[metadata.name, textsAt(spec, "dependsOn")]]);
  for (let names = unknownIn(graph); names.length > 0; names = unknownIn(graph)) {
    if (graph.size + names.length > environmentLimits.maxFollowedGroups) {
      const detail = `more than ${environmentLimits.maxFollowedGroups} groups come before it`;
      return [invalidField("spec.dependsOn", metadata.name, detail)];
    }
    const keys = names.map((name) => ({ kind: groupsKind, namespace, name }));
    const tenant = caller.tenant ?? "";
    let at = 0;
    for await (const record of recordsInTurns(store, keys, tenant)) {
      const found = record && decodeDocument(record.body, record.revision);
      graph.set(names[at] ?? "", textsAt(found?.spec, "dependsOn"));
      at += 1;
    }
  }
  const cycle = cycleIn(graph);
  if (cycle === undefined) return [];
  const detail = `the groups have a cycle: ${cycle.join(" -> ")}`;
  return [invalidField("spec.dependsOn", cycle[0] ?? "", detail)];
}

function unknownIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...new Set([...graph.values()].flat())].filter((name) => !graph.has(name));
}
