// The ResourceGroups of an Environment: written from its templates after a deployment.

import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import { environmentLabel, environmentsVersion, groupsKind } from "../names.ts";
import { templatesOf } from "../operations/action.ts";
import { membersOf as membersOfGroups } from "../templates/groups.ts";
import type { Member } from "./members.ts";
import type { EnvironmentRun } from "./run.ts";

export async function writeGroups(run: EnvironmentRun, members: readonly Member[]): Promise<void> {
  const { context, resource } = run;
  const { name: environment } = resource.metadata;
  const wanted = new Set<string>();
  for (const { name: template, compiled } of await templatesOf(run)) {
    const keysOf = membersOfGroups(compiled.spec);
    for (const group of objectsAt(compiled.spec, "resourceGroups")) {
      const id = textAt(group, "id");
      const name = `${environment}.${id}`;
      wanted.add(name);
      const keys = keysOf.get(id) ?? new Set();
      const own = members.filter(({ key }) => keys.has(key));
      await context.children.apply({
        apiVersion: environmentsVersion,
        kind: "ResourceGroup",
        metadata: { name, labels: { [environmentLabel]: environment } },
        spec: groupSpec(group, { id, environment, template, own }),
      });
    }
  }
  for (const { metadata } of await context.children.list(groupsKind)) {
    if (wanted.has(metadata.name)) continue;
    await context.children.delete({ kind: groupsKind, name: metadata.name });
  }
}

interface GroupFacts {
  readonly id: string;
  readonly environment: string;
  readonly template: string;
  readonly own: readonly Member[];
}

function groupSpec(group: JsonObject, { id, environment, template, own }: GroupFacts): JsonObject {
  const inside = new Set(own.map(({ name }) => name));
  const description = textAt(group, "description");
  return {
    id,
    environment,
    name: textAt(group, "name") || id,
    ...(description === "" ? {} : { description }),
    ...(valueAt(group, "tags") === undefined ? {} : { tags: objectAt(group, "tags") }),
    resources: own.map(({ name, dependsOn }) => {
      const within = dependsOn.filter((each) => inside.has(each));
      return { id: name, template, ...(within.length === 0 ? {} : { dependsOn: within }) };
    }),
    dependsOn: textsAt(group, "dependsOn").map((each) => `${environment}.${each}`),
  };
}
