// Whether what was created may stay where it is. Namespace and definition are looked at before the
// policies are asked, and may be deleted while those take their time; whoever deletes them has then
// already gone through their content. So both are looked at once more, as of the creation's own
// revision: what was deleted before it is known by then, and what is deleted later finds the
// creation. A creation without a place is taken back.

import type { SetpointError } from "../../kernel/errors.ts";
import { notFound } from "../refusals.ts";
import { keyOfTarget } from "../request.ts";
import type { Intents, Target, Written } from "../request.ts";
import type { PutInput } from "./commit.ts";
import { refusedNamespace } from "./namespace.ts";

export async function confirmPlace(
  intents: Intents,
  target: Target,
  { uid, cause }: Pick<PutInput, "uid" | "cause">,
  written: Written,
): Promise<Written> {
  await intents.live.reached(written.revision);
  const problem = placeProblem(intents, target);
  if (problem === undefined) return written;
  const when = { kind: "exists", uid } as const;
  await intents.store.commit([{ kind: "delete", key: keyOfTarget(target), when, cause }]);
  throw problem;
}

function placeProblem({ live, kinds }: Intents, target: Target): SetpointError | undefined {
  const { namespace, served, name } = target;
  const now = served.definition === undefined ? undefined : kinds.byId(served.id);
  if (served.definition !== undefined) {
    const isSame = now?.definition?.uid === served.definition.uid && !now.isTerminating;
    if (!isSame) return notFound(served.kind, name);
  }
  if (namespace === "") return undefined;
  const record = live.get({ kind: "namespaces", namespace: "", name: namespace });
  return refusedNamespace(target, record?.resource);
}
