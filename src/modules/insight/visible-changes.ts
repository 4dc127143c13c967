// Which changes of the log a caller may see, and the line that shows one. A caller sees a change of
// a resource that the caller may get; lives.ts says how far back. Records of the server itself are
// not served, so not shown.

import type { RoutePorts } from "../../contract/route.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { kindId } from "../../kernel/kind.ts";
import type { Change } from "../../store/port.ts";
import { kindNamed } from "./addressed.ts";
import { causeJson, timeOf } from "./caused.ts";
import type { Lives } from "../../intents/read/lives.ts";
import { causeSchema, kindParameter, objectSchema } from "./schemas.ts";

export const changeFilterFields: JsonObject = {
  kind: { type: "string", description: `Only this kind. ${kindParameter}` },
  namespace: { type: "string", description: "Only this namespace." },
  name: { type: "string", description: "Only resources with this name." },
};

export function changeLineSchemaFor(types: readonly string[]): JsonObject {
  return objectSchema(
    {
      revision: { type: "integer" },
      type: { type: "string", enum: [...types] },
      time: { type: "string", format: "date-time" },
      kind: { type: "string" },
      namespace: { type: "string" },
      name: { type: "string" },
      uid: { type: "string" },
      cause: causeSchema,
    },
    ["revision", "type", "time", "kind", "name"],
  );
}

export const changeLineSchema = changeLineSchemaFor(["created", "updated", "deleted"]);

export type ChangeFilter = (change: Pick<Change, "key" | "revision">) => boolean | Promise<boolean>;

/** The kind that is asked for; undefined for all. Throws when there is no such kind. */
export function changesOfKind({ kinds }: RoutePorts, query: JsonObject): string | undefined {
  const id = textAt(query, "kind");
  return id === "" ? undefined : kindNamed(kinds, id, "query.kind").id;
}

/** The kinds of `kinds`, or that of `kind`; undefined for all. Throws for an unknown kind. */
export function changesOfKinds(
  ports: RoutePorts,
  query: JsonObject,
): readonly string[] | undefined {
  const names = textAt(query, "kinds")
    .split(",")
    .map((name) => name.trim());
  const named = names.filter((name) => name !== "");
  const single = changesOfKind(ports, query);
  if (named.length === 0) return single === undefined ? undefined : [single];
  if (single === undefined) {
    return named.map((name) => kindNamed(ports.kinds, name, "query.kinds").id);
  }
  throw new SetpointError("request.invalid", "kind and kinds exclude each other", {
    details: { field: "query.kinds" },
    suggestion: "send all kinds in kinds",
  });
}

export function visibleTo(
  { kinds }: Pick<RoutePorts, "kinds">,
  lives: Lives,
  user: UserInfo,
  query: JsonObject,
): ChangeFilter {
  const [namespace, name] = [textAt(query, "namespace"), textAt(query, "name")];
  return (change) => {
    const { key } = change;
    if (namespace !== "" && key.namespace !== namespace) return false;
    if (name !== "" && key.name !== name) return false;
    const served = kinds.byId(key.kind);
    return served !== undefined && lives.isShown(user, served, change);
  };
}

export function changeLine({ kinds }: RoutePorts, change: Change): JsonObject {
  const { revision, type, key, uid } = change;
  const served = kinds.byId(key.kind);
  return {
    revision,
    type,
    time: timeOf(change),
    kind: served === undefined ? key.kind : kindId(served.kind),
    ...(key.namespace === "" ? {} : { namespace: key.namespace }),
    name: key.name,
    uid,
    ...causeJson(change),
  };
}
