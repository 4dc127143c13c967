import assert from "node:assert/strict";
import { test } from "node:test";
import type { RoutePorts } from "../../contract/route.ts";
import { kindRegistry } from "../../intents/kinds/registry.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { idOf, visitKinds } from "./visited-kinds.ts";

const names = { plural: "things", kind: "Thing" };

function served(group: string, form?: { readonly own: ServedKind }): ServedKind {
  const kind = { group, names, scope: "Namespaced", origin: "definition" };
  const id = "things.own.example";
  return { id, kind, verbs: ["list"], versions: new Map(), form } as unknown as ServedKind;
}

test("resources are reported under their own kind, and not under a form of it", async () => {
  const own = served("own.example");
  const rows = { namespaces: ["shop"], in: () => [{ name: "a" }] };
  for (const order of [
    [own, served("form.example", { own })],
    [served("form.example", { own }), own],
  ]) {
    const ports = {
      kinds: kindRegistry(order),
      authorizer: { authorize: () => ({ allowed: true }) },
      readModel: { open: async () => ({ source: "memory", revision: 1, rows }) },
    } as unknown as RoutePorts;
    const request = { query: {}, caller: { user: { name: "jane", groups: [] } } };
    const seen: string[] = [];
    await visitKinds(ports, request as never, (kind) => void seen.push(idOf(kind)));
    assert.deepEqual(seen, ["things.own.example"]);
  }
});
