// The children that preparations have created, as the status lists them.

import type { Intents } from "../../../intents/request.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { InstanceRun } from "./instance-run.ts";

export interface PreparedChild {
  readonly preparation: string;
  /** The kind id. */
  readonly kind: string;
  readonly name: string;
}

export function preparedChildren({ status }: Resource): readonly PreparedChild[] {
  return objectsAt(status, "preparations").map((child) => ({
    preparation: textAt(child, "preparation"),
    kind: textAt(child, "kind"),
    name: textAt(child, "name"),
  }));
}

/** Lists the children, and deletes those that were listed before and are not any more. */
export async function recordPrepared(
  run: InstanceRun,
  children: readonly PreparedChild[],
): Promise<void> {
  const { context, resource, ports } = run;
  const wanted = new Set(children.map(textOf));
  for (const child of preparedChildren(resource)) {
    const isServed = ports.intents.kinds.byId(child.kind) !== undefined;
    if (wanted.has(textOf(child)) || !isServed) continue;
    await context.children.delete({ kind: child.kind, name: child.name });
  }
  const listed = children.map(({ preparation, kind, name }) => ({ preparation, kind, name }));
  await run.record({ preparations: listed.length === 0 ? null : listed });
}

/** The id of the kind of a document; its apiVersion and kind when it is not served. */
export function kindIdOf({ kinds }: Pick<Intents, "kinds">, document: JsonObject): string {
  const apiVersion = textAt(document, "apiVersion");
  const kind = textAt(document, "kind");
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return kinds.findKind(group, apiVersion.slice(slash + 1), kind)?.served.id ?? kind;
}

/** Kinds of all children: of those that the status lists, and of the templates of the Offering. */
export function preparationKinds({ offering, ports, resource }: InstanceRun): readonly string[] {
  const { intents } = ports;
  const ids = [
    ...preparedChildren(resource).map(({ kind }) => kind),
    ...offering.preparations.map(({ template }) => kindIdOf(intents, template)),
  ];
  return [...new Set(ids)].filter((kind) => intents.kinds.byId(kind) !== undefined);
}

function textOf({ kind, name }: PreparedChild): string {
  return `${kind}/${name}`;
}
